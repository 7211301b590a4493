/** Fields of the messages in api.discovery.v1; the notation is described in parse-table.ts. */
export const discoveryTable = `
Endpoint addresses!=1:s[=] conditions=2:EndpointConditions hostname=3:s targetRef=4:core.ObjectReference deprecatedTopology=5:s{} nodeName=6:s zone=7:s hints=8:EndpointHints
EndpointConditions ready=1:b serving=2:b terminating=3:b
EndpointHints forZones=1:ForZone[] forNodes=2:ForNode[]
EndpointPort name=1:s protocol=2:s port=3:i appProtocol=4:s
EndpointSlice metadata=1:meta.ObjectMeta endpoints!=2:Endpoint[] ports=3:EndpointPort[] addressType!=4:s
ForNode name!=1:s
ForZone name!=1:s
`;
