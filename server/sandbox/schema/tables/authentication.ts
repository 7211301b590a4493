/** Fields of the messages in api.authentication.v1; the notation is described in parse-table.ts. */
export const authenticationTable = `
BoundObjectReference kind=1:s apiVersion=2:s name=3:s uid=4:s
SelfSubjectReview metadata=1:meta.ObjectMeta status=2:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo=1:UserInfo
TokenRequest metadata=1:meta.ObjectMeta spec!=2:TokenRequestSpec status=3:TokenRequestStatus
TokenRequestSpec audiences!=1:s[] boundObjectRef=3:BoundObjectReference expirationSeconds=4:l
TokenRequestStatus token!=1:s expirationTimestamp!=2:T
TokenReview metadata=1:meta.ObjectMeta spec!=2:TokenReviewSpec status=3:TokenReviewStatus
TokenReviewSpec token=1:s audiences=2:s[]
TokenReviewStatus authenticated=1:b user=2:UserInfo error=3:s audiences=4:s[]
UserInfo username=1:s uid=2:s groups=3:s[] extra=4:V{}
`;
