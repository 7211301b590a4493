/** Fields of the messages in api.admissionregistration.v1; the notation is described in parse-table.ts. */
export const admissionregistrationTable = `
MatchCondition name!=1:s expression!=2:s
MutatingWebhook name!=1:s clientConfig!=2:WebhookClientConfig rules=3:RuleWithOperations[] failurePolicy=4:s namespaceSelector=5:meta.LabelSelector sideEffects!=6:s timeoutSeconds=7:i admissionReviewVersions!=8:s[] matchPolicy=9:s reinvocationPolicy=10:s objectSelector=11:meta.LabelSelector matchConditions=12:MatchCondition[]
MutatingWebhookConfiguration metadata=1:meta.ObjectMeta webhooks=2:MutatingWebhook[name]
Rule apiGroups=1:s[] apiVersions=2:s[] resources=3:s[] scope=4:s
RuleWithOperations operations=1:s[] +rule=2:Rule
ServiceReference namespace!=1:s name!=2:s path=3:s port=4:i
ValidatingWebhook name!=1:s clientConfig!=2:WebhookClientConfig rules=3:RuleWithOperations[] failurePolicy=4:s namespaceSelector=5:meta.LabelSelector sideEffects!=6:s timeoutSeconds=7:i admissionReviewVersions!=8:s[] matchPolicy=9:s objectSelector=10:meta.LabelSelector matchConditions=11:MatchCondition[]
ValidatingWebhookConfiguration metadata=1:meta.ObjectMeta webhooks=2:ValidatingWebhook[name]
WebhookClientConfig service=1:ServiceReference caBundle=2:y url=3:s
`;
