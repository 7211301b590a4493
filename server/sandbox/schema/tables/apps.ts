/** Fields of the messages in api.apps.v1; the notation is described in parse-table.ts. */
export const appsTable = `
ControllerRevision metadata=1:meta.ObjectMeta data=2:R revision!=3:l
DaemonSet metadata=1:meta.ObjectMeta spec=2:DaemonSetSpec status=3:DaemonSetStatus
DaemonSetCondition type!=1:s status!=2:s lastTransitionTime=3:T reason=4:s message=5:s
DaemonSetSpec selector!=1:meta.LabelSelector template!=2:core.PodTemplateSpec updateStrategy=3:DaemonSetUpdateStrategy minReadySeconds~=4:i revisionHistoryLimit=6:i
DaemonSetStatus currentNumberScheduled!=1:i numberMisscheduled!=2:i desiredNumberScheduled!=3:i numberReady!=4:i observedGeneration=5:l updatedNumberScheduled=6:i numberAvailable=7:i numberUnavailable=8:i collisionCount=9:i conditions=10:DaemonSetCondition[type]
DaemonSetUpdateStrategy type=1:s rollingUpdate=2:RollingUpdateDaemonSet
Deployment metadata=1:meta.ObjectMeta spec=2:DeploymentSpec status=3:DeploymentStatus
DeploymentCondition type!=1:s status!=2:s reason=4:s message=5:s lastUpdateTime=6:T lastTransitionTime=7:T
DeploymentSpec replicas=1:i selector!=2:meta.LabelSelector template!=3:core.PodTemplateSpec strategy=4:DeploymentStrategy^ minReadySeconds~=5:i revisionHistoryLimit=6:i paused~=7:b progressDeadlineSeconds=9:i
DeploymentStatus observedGeneration=1:l replicas=2:i updatedReplicas=3:i availableReplicas=4:i unavailableReplicas=5:i conditions=6:DeploymentCondition[type] readyReplicas=7:i collisionCount=8:i terminatingReplicas=9:i
DeploymentStrategy type=1:s rollingUpdate=2:RollingUpdateDeployment
ReplicaSet metadata=1:meta.ObjectMeta spec=2:ReplicaSetSpec status=3:ReplicaSetStatus
ReplicaSetCondition type!=1:s status!=2:s lastTransitionTime=3:T reason=4:s message=5:s
ReplicaSetSpec replicas=1:i selector!=2:meta.LabelSelector template=3:core.PodTemplateSpec minReadySeconds~=4:i
ReplicaSetStatus replicas!=1:i fullyLabeledReplicas=2:i observedGeneration=3:l readyReplicas=4:i availableReplicas=5:i conditions=6:ReplicaSetCondition[type] terminatingReplicas=7:i
RollingUpdateDaemonSet maxUnavailable=1:X maxSurge=2:X
RollingUpdateDeployment maxUnavailable=1:X maxSurge=2:X
RollingUpdateStatefulSetStrategy partition=1:i maxUnavailable=2:X
StatefulSet metadata=1:meta.ObjectMeta spec=2:StatefulSetSpec status=3:StatefulSetStatus
StatefulSetCondition type!=1:s status!=2:s lastTransitionTime=3:T reason=4:s message=5:s
StatefulSetOrdinals start=1:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=1:s whenScaled=2:s
StatefulSetSpec replicas=1:i selector!=2:meta.LabelSelector template!=3:core.PodTemplateSpec volumeClaimTemplates=4:core.PersistentVolumeClaim[] serviceName!=5:s podManagementPolicy=6:s updateStrategy=7:StatefulSetUpdateStrategy revisionHistoryLimit=8:i minReadySeconds~=9:i persistentVolumeClaimRetentionPolicy=10:StatefulSetPersistentVolumeClaimRetentionPolicy ordinals=11:StatefulSetOrdinals
StatefulSetStatus observedGeneration=1:l replicas!=2:i readyReplicas=3:i currentReplicas=4:i updatedReplicas=5:i currentRevision=6:s updateRevision=7:s collisionCount=9:i conditions=10:StatefulSetCondition[type] availableReplicas=11:i
StatefulSetUpdateStrategy type=1:s rollingUpdate=2:RollingUpdateStatefulSetStrategy
`;
