/** Fields of the messages in meta/v1; the notation is described in parse-table.ts. */
export const metaTable = `
Condition type!=1:s status!=2:s observedGeneration=3:l lastTransitionTime!=4:T reason!=5:s message!=6:s
DeleteOptions gracePeriodSeconds=1:l preconditions=2:Preconditions orphanDependents=3:b propagationPolicy=4:s dryRun=5:s[] ignoreStoreReadErrorWithClusterBreakingPotential=6:b
FieldSelectorRequirement key!=1:s operator!=2:s values=3:s[]
LabelSelector@ matchLabels=1:s{} matchExpressions=2:LabelSelectorRequirement[]
LabelSelectorRequirement key!=1:s operator!=2:s values=3:s[]
ListMeta selfLink=1:s resourceVersion=2:s continue=3:s remainingItemCount=4:l
ManagedFieldsEntry manager=1:s operation=2:s apiVersion=3:s time=4:T fieldsType=6:s fieldsV1=7:F subresource=8:s
ObjectMeta name=1:s generateName=2:s namespace=3:s selfLink=4:s uid=5:s resourceVersion=6:s generation~=7:l creationTimestamp=8:T deletionTimestamp=9:T deletionGracePeriodSeconds=10:l labels=11:s{} annotations=12:s{} ownerReferences=13:OwnerReference[uid] finalizers=14:s[=] managedFields=17:ManagedFieldsEntry[]
OwnerReference@ kind!=1:s name!=3:s uid!=4:s apiVersion!=5:s controller=6:b blockOwnerDeletion=7:b
Preconditions uid=1:s resourceVersion=2:s
Status metadata=1:ListMeta status=2:s message=3:s reason=4:s details=5:StatusDetails code=6:i
StatusCause reason=1:s message=2:s field=3:s
StatusDetails name=1:s group=2:s kind=3:s causes=4:StatusCause[] retryAfterSeconds=5:i uid=6:s
`;
