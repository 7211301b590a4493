/** Fields of the messages in api.scheduling.v1; the notation is described in parse-table.ts. */
export const schedulingTable = `
PriorityClass metadata=1:meta.ObjectMeta value!=2:i globalDefault=3:b description=4:s preemptionPolicy=5:s
`;
