/** Fields of the messages in api.coordination.v1; the notation is described in parse-table.ts. */
export const coordinationTable = `
Lease metadata=1:meta.ObjectMeta spec=2:LeaseSpec
LeaseSpec holderIdentity=1:s leaseDurationSeconds=2:i acquireTime=3:M renewTime=4:M leaseTransitions=5:i strategy=6:s preferredHolder=7:s
`;
