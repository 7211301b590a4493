/** Fields of the messages in api.policy.v1; the notation is described in parse-table.ts. */
export const policyTable = `
Eviction metadata=1:meta.ObjectMeta deleteOptions=2:meta.DeleteOptions
PodDisruptionBudget metadata=1:meta.ObjectMeta spec=2:PodDisruptionBudgetSpec status=3:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable=1:X selector=2:meta.LabelSelector maxUnavailable=3:X unhealthyPodEvictionPolicy=4:s
PodDisruptionBudgetStatus observedGeneration=1:l disruptedPods=2:T{} disruptionsAllowed!=3:i currentHealthy!=4:i desiredHealthy!=5:i expectedPods!=6:i conditions=7:meta.Condition[]
`;
