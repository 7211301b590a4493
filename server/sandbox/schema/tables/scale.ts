/** Fields of the messages in api.autoscaling.v1; the notation is described in parse-table.ts. */
export const scaleTable = `
Scale metadata=1:meta.ObjectMeta spec=2:ScaleSpec status=3:ScaleStatus
ScaleSpec replicas=1:i
ScaleStatus replicas!=1:i selector=2:s
`;
