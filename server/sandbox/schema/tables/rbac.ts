/** Fields of the messages in api.rbac.v1; the notation is described in parse-table.ts. */
export const rbacTable = `
AggregationRule clusterRoleSelectors=1:meta.LabelSelector[]
ClusterRole metadata=1:meta.ObjectMeta rules=2:PolicyRule[] aggregationRule=3:AggregationRule
ClusterRoleBinding metadata=1:meta.ObjectMeta subjects=2:Subject[] roleRef!=3:RoleRef
PolicyRule verbs!=1:s[] apiGroups=2:s[] resources=3:s[] resourceNames=4:s[] nonResourceURLs=5:s[]
Role metadata=1:meta.ObjectMeta rules=2:PolicyRule[]
RoleBinding metadata=1:meta.ObjectMeta subjects=2:Subject[] roleRef!=3:RoleRef
RoleRef@ apiGroup!=1:s kind!=2:s name!=3:s
Subject@ kind!=1:s apiGroup=2:s name!=3:s namespace=4:s
`;
