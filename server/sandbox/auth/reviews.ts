import { type KubernetesObject } from "@/server/kubernetes/object";
import { type Authenticator } from "@/server/sandbox/auth/authenticator";
import { type Authorizer } from "@/server/sandbox/auth/authorizer";
import { type AccessAttributes, type PolicyRule } from "@/server/sandbox/auth/rbac";
import { type FieldError, invalid } from "@/server/sandbox/field-error";
import { listOf, recordOf, textOf } from "@/server/sandbox/json";
import { badRequestError, invalidError } from "@/server/sandbox/status-error";
import { type Strategy, type UserInfo } from "@/server/sandbox/type-registry";

type Answer = NonNullable<Strategy["answer"]>;

/** What the review kinds answer, by `plural.group`. */
export function reviewAnswers({
  authorizer,
  authenticator,
}: {
  authorizer: Authorizer;
  authenticator: Authenticator;
}): Record<string, Answer> {
  const decide = (review: KubernetesObject, user: UserInfo, wanted: AccessAttributes) => {
    const { allowed, reason } = authorizer.authorize(user, wanted);
    return { ...review, status: { allowed, ...(reason === "" ? {} : { reason }) } };
  };
  return {
    "tokenreviews.authentication.k8s.io": (review) => ({ ...review, status: tokenStatus(authenticator, review) }),
    "selfsubjectreviews.authentication.k8s.io": (review, _namespace, user) => ({
      ...review,
      status: { userInfo: userOf(user) },
    }),
    "subjectaccessreviews.authorization.k8s.io": (review) => {
      const wanted = checkedAccess(review);
      return decide(review, subjectOf(review), wanted);
    },
    "localsubjectaccessreviews.authorization.k8s.io": (review, namespace) => {
      const wanted = checkedAccess(review);
      const asked = "path" in wanted ? undefined : wanted.namespace;
      if (asked !== namespace)
        refuse([invalid("spec.resourceAttributes.namespace", asked ?? "", "must match metadata.namespace")]);
      return decide(review, subjectOf(review), wanted);
    },
    "selfsubjectaccessreviews.authorization.k8s.io": (review, _namespace, user) =>
      decide(review, user, checkedAccess(review)),
    "selfsubjectrulesreviews.authorization.k8s.io": (review, _namespace, user) => {
      const namespace = textOf(review.spec?.["namespace"]);
      if (namespace === "") throw badRequestError("no namespace on request");
      return { ...review, status: rulesStatus(authorizer.rulesFor(user, namespace)) };
    },
  };
}

function userOf({ username, uid, groups, extra }: UserInfo) {
  return { username, ...(uid ? { uid } : {}), groups: [...groups], ...(extra ? { extra } : {}) };
}

function tokenStatus(authenticator: Authenticator, review: KubernetesObject) {
  const token = textOf(review.spec?.["token"]);
  if (token === "") throw badRequestError("token is required for TokenReview in authentication");
  const result = authenticator.review(token, listOf(review.spec?.["audiences"]).map(textOf));
  if ("error" in result) return { user: {}, error: result.error };
  return { authenticated: true, user: userOf(result.user), audiences: [...result.audiences] };
}

const authorizationGroup = "authorization.k8s.io";

/** Kubernetes leaves the kind out of these. */
function refuse(errors: FieldError[]): never {
  throw invalidError({ group: authorizationGroup, kind: "" }, "", errors);
}

function checkedAccess(review: KubernetesObject): AccessAttributes {
  const { resourceAttributes, nonResourceAttributes } = recordOf(review.spec);
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    refuse([
      invalid(
        "spec.nonResourceAttributes",
        nonResourceAttributes,
        "cannot be specified in combination with resourceAttributes",
      ),
    ]);
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    refuse([
      {
        ...invalid(
          "spec.resourceAttributes",
          null,
          "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ),
      },
    ]);
  }
  const wanted = recordOf(resourceAttributes ?? nonResourceAttributes);
  if (nonResourceAttributes !== undefined) return { verb: textOf(wanted["verb"]), path: textOf(wanted["path"]) };
  return {
    verb: textOf(wanted["verb"]),
    group: textOf(wanted["group"]),
    resource: textOf(wanted["resource"]),
    ...optional("version", wanted["version"]),
    ...optional("subresource", wanted["subresource"]),
    ...optional("namespace", wanted["namespace"]),
    ...optional("name", wanted["name"]),
  };
}

function optional<Key extends string>(key: Key, value: unknown): Partial<Record<Key, string>> {
  // A computed key widens to a string index; the one key set here is the one asked for.
  return typeof value === "string" && value !== "" ? ({ [key]: value } as Record<Key, string>) : {};
}

function subjectOf(review: KubernetesObject): UserInfo {
  const spec = recordOf(review.spec);
  const username = textOf(spec["user"]);
  const groups = listOf(spec["groups"]).map(textOf);
  if (username === "" && groups.length === 0) {
    refuse([{ ...invalid("spec.user", "", "at least one of user or group must be specified") }]);
  }
  return { username, groups };
}

function rulesStatus(rules: readonly PolicyRule[]) {
  const resourceRules = rules.filter(({ resources }) => resources?.length);
  const nonResourceRules = rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length);
  return {
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames ? { resourceNames } : {}),
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
