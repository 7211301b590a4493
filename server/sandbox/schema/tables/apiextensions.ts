/** Fields of the messages in apiextensions.v1; the notation is described in parse-table.ts. */
export const apiextensionsTable = `
CustomResourceColumnDefinition name!=1:s type!=2:s format=3:s description=4:s priority=5:i jsonPath!=6:s
CustomResourceConversion strategy!=1:s webhook=2:WebhookConversion
CustomResourceDefinition metadata=1:meta.ObjectMeta spec!=2:CustomResourceDefinitionSpec status=3:CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type!=1:s status!=2:s lastTransitionTime=3:T reason=4:s message=5:s observedGeneration=6:l
CustomResourceDefinitionNames plural!=1:s singular=2:s shortNames=3:s[] kind!=4:s listKind=5:s categories=6:s[]
CustomResourceDefinitionSpec group!=1:s names!=3:CustomResourceDefinitionNames scope!=4:s versions!=7:CustomResourceDefinitionVersion[] conversion=9:CustomResourceConversion preserveUnknownFields=10:b
CustomResourceDefinitionStatus conditions=1:CustomResourceDefinitionCondition[type|] acceptedNames=2:CustomResourceDefinitionNames storedVersions=3:s[] observedGeneration=4:l
CustomResourceDefinitionVersion name!=1:s served!=2:b storage!=3:b schema=4:CustomResourceValidation subresources=5:CustomResourceSubresources additionalPrinterColumns=6:CustomResourceColumnDefinition[] deprecated=7:b deprecationWarning=8:s selectableFields=9:SelectableField[]
CustomResourceSubresourceScale specReplicasPath!=1:s statusReplicasPath!=2:s labelSelectorPath=3:s
CustomResourceSubresources status=1:R scale=2:CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema=1:R
SelectableField jsonPath!=1:s
ServiceReference namespace!=1:s name!=2:s path=3:s port=4:i
WebhookClientConfig service=1:ServiceReference caBundle=2:y url=3:s
WebhookConversion clientConfig=2:WebhookClientConfig conversionReviewVersions!=3:s[]
`;
