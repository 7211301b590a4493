/** Fields of the messages in api.batch.v1; the notation is described in parse-table.ts. */
export const batchTable = `
CronJob metadata=1:meta.ObjectMeta spec=2:CronJobSpec status=3:CronJobStatus
CronJobSpec schedule!=1:s startingDeadlineSeconds=2:l concurrencyPolicy=3:s suspend=4:b jobTemplate!=5:JobTemplateSpec successfulJobsHistoryLimit=6:i failedJobsHistoryLimit=7:i timeZone=8:s
CronJobStatus active=1:core.ObjectReference[] lastScheduleTime=4:T lastSuccessfulTime=5:T
Job metadata=1:meta.ObjectMeta spec=2:JobSpec status=3:JobStatus
JobCondition type!=1:s status!=2:s lastProbeTime=3:T lastTransitionTime=4:T reason=5:s message=6:s
JobSpec parallelism=1:i completions=2:i activeDeadlineSeconds=3:l selector=4:meta.LabelSelector manualSelector=5:b template!=6:core.PodTemplateSpec backoffLimit=7:i ttlSecondsAfterFinished=8:i completionMode=9:s suspend=10:b podFailurePolicy=11:PodFailurePolicy backoffLimitPerIndex=12:i maxFailedIndexes=13:i podReplacementPolicy=14:s managedBy=15:s successPolicy=16:SuccessPolicy
JobStatus conditions=1:JobCondition[type] startTime=2:T completionTime=3:T active=4:i succeeded=5:i failed=6:i completedIndexes=7:s uncountedTerminatedPods=8:UncountedTerminatedPods ready=9:i failedIndexes=10:s terminating=11:i
JobTemplateSpec metadata=1:meta.ObjectMeta spec=2:JobSpec
PodFailurePolicy rules!=1:PodFailurePolicyRule[]
PodFailurePolicyOnExitCodesRequirement containerName=1:s operator!=2:s values!=3:i[]
PodFailurePolicyOnPodConditionsPattern type!=1:s status=2:s
PodFailurePolicyRule action!=1:s onExitCodes=2:PodFailurePolicyOnExitCodesRequirement onPodConditions=3:PodFailurePolicyOnPodConditionsPattern[]
SuccessPolicy rules!=1:SuccessPolicyRule[]
SuccessPolicyRule succeededIndexes=1:s succeededCount=2:i
UncountedTerminatedPods succeeded=1:s[] failed=2:s[]
`;
