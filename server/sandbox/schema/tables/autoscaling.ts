/** Fields of the messages in api.autoscaling.v2; the notation is described in parse-table.ts. */
export const autoscalingTable = `
ContainerResourceMetricSource name!=1:s target!=2:MetricTarget container!=3:s
ContainerResourceMetricStatus name!=1:s current!=2:MetricValueStatus container!=3:s
CrossVersionObjectReference kind!=1:s name!=2:s apiVersion=3:s
ExternalMetricSource metric!=1:MetricIdentifier target!=2:MetricTarget
ExternalMetricStatus metric!=1:MetricIdentifier current!=2:MetricValueStatus
HPAScalingPolicy type!=1:s value!=2:i periodSeconds!=3:i
HPAScalingRules selectPolicy=1:s policies=2:HPAScalingPolicy[] stabilizationWindowSeconds=3:i tolerance=4:Q
HorizontalPodAutoscaler metadata=1:meta.ObjectMeta spec=2:HorizontalPodAutoscalerSpec status=3:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleUp=1:HPAScalingRules scaleDown=2:HPAScalingRules
HorizontalPodAutoscalerCondition type!=1:s status!=2:s lastTransitionTime=3:T reason=4:s message=5:s
HorizontalPodAutoscalerSpec scaleTargetRef!=1:CrossVersionObjectReference minReplicas=2:i maxReplicas!=3:i metrics=4:MetricSpec[] behavior=5:HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus observedGeneration=1:l lastScaleTime=2:T currentReplicas!=3:i desiredReplicas!=4:i currentMetrics=5:MetricStatus[] conditions!=6:HorizontalPodAutoscalerCondition[]
MetricIdentifier name!=1:s selector=2:meta.LabelSelector
MetricSpec type!=1:s object=2:ObjectMetricSource pods=3:PodsMetricSource resource=4:ResourceMetricSource external=5:ExternalMetricSource containerResource=7:ContainerResourceMetricSource
MetricStatus type!=1:s object=2:ObjectMetricStatus pods=3:PodsMetricStatus resource=4:ResourceMetricStatus external=5:ExternalMetricStatus containerResource=7:ContainerResourceMetricStatus
MetricTarget type!=1:s value=2:Q averageValue=3:Q averageUtilization=4:i
MetricValueStatus value=1:Q averageValue=2:Q averageUtilization=3:i
ObjectMetricSource describedObject!=1:CrossVersionObjectReference target!=2:MetricTarget metric!=3:MetricIdentifier
ObjectMetricStatus metric!=1:MetricIdentifier current!=2:MetricValueStatus describedObject!=3:CrossVersionObjectReference
PodsMetricSource metric!=1:MetricIdentifier target!=2:MetricTarget
PodsMetricStatus metric!=1:MetricIdentifier current!=2:MetricValueStatus
ResourceMetricSource name!=1:s target!=2:MetricTarget
ResourceMetricStatus name!=1:s current!=2:MetricValueStatus
`;
