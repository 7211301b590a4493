/** Fields of the messages in api.networking.v1; the notation is described in parse-table.ts. */
export const networkingTable = `
HTTPIngressPath path=1:s backend!=2:IngressBackend pathType=3:s
HTTPIngressRuleValue paths!=1:HTTPIngressPath[]
IPBlock cidr!=1:s except=2:s[]
Ingress metadata=1:meta.ObjectMeta spec=2:IngressSpec status=3:IngressStatus
IngressBackend resource=3:core.TypedLocalObjectReference service=4:IngressServiceBackend
IngressClass metadata=1:meta.ObjectMeta spec=2:IngressClassSpec
IngressClassParametersReference apiGroup=1:s kind!=2:s name!=3:s scope=4:s namespace=5:s
IngressClassSpec controller=1:s parameters=2:IngressClassParametersReference
IngressLoadBalancerIngress ip=1:s hostname=2:s ports=4:IngressPortStatus[]
IngressLoadBalancerStatus ingress=1:IngressLoadBalancerIngress[]
IngressPortStatus port!=1:i protocol!=2:s error=3:s
IngressRule host=1:s +ingressRuleValue=2:IngressRuleValue
IngressRuleValue http=1:HTTPIngressRuleValue
IngressServiceBackend name!=1:s port=2:ServiceBackendPort
IngressSpec defaultBackend=1:IngressBackend tls=2:IngressTLS[] rules=3:IngressRule[] ingressClassName=4:s
IngressStatus loadBalancer=1:IngressLoadBalancerStatus
IngressTLS hosts=1:s[] secretName=2:s
NetworkPolicy metadata=1:meta.ObjectMeta spec=2:NetworkPolicySpec
NetworkPolicyEgressRule ports=1:NetworkPolicyPort[] to=2:NetworkPolicyPeer[]
NetworkPolicyIngressRule ports=1:NetworkPolicyPort[] from=2:NetworkPolicyPeer[]
NetworkPolicyPeer podSelector=1:meta.LabelSelector namespaceSelector=2:meta.LabelSelector ipBlock=3:IPBlock
NetworkPolicyPort protocol=1:s port=2:X endPort=3:i
NetworkPolicySpec podSelector!=1:meta.LabelSelector ingress=2:NetworkPolicyIngressRule[] egress=3:NetworkPolicyEgressRule[] policyTypes=4:s[]
ServiceBackendPort name=1:s number=2:i
`;
