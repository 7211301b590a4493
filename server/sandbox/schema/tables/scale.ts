/** Fields of the messages in api.autoscaling.v1; the notation is described in parse-table.ts. */
export const scaleTable = `
CrossVersionObjectReference kind!=1:s name!=2:s apiVersion=3:s
HorizontalPodAutoscaler metadata=1:meta.ObjectMeta spec=2:HorizontalPodAutoscalerSpec status=3:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef!=1:CrossVersionObjectReference minReplicas=2:i maxReplicas!=3:i targetCPUUtilizationPercentage=4:i
HorizontalPodAutoscalerStatus observedGeneration=1:l lastScaleTime=2:T currentReplicas!=3:i desiredReplicas!=4:i currentCPUUtilizationPercentage=5:i
Scale metadata=1:meta.ObjectMeta spec=2:ScaleSpec status=3:ScaleStatus
ScaleSpec replicas=1:i
ScaleStatus replicas!=1:i selector=2:s
`;
