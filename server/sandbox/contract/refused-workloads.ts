/** What is wrong with an object → what the server says about it, in its words. */
type Refused = [title: string, path: string, object: { kind: string; [more: string]: unknown }, said: RegExp];

const labels = { app: "a" };
const pod = { containers: [{ name: "main", image: "localhost/busybox:1" }] };
const template = { metadata: { labels }, spec: pod };

function set(spec: object): Refused[2] {
  const whole = { serviceName: "s", replicas: 0, selector: { matchLabels: labels }, template, ...spec };
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "refused" }, spec: whole };
}

function deployment(spec: object): Refused[2] {
  const whole = { replicas: 0, selector: { matchLabels: labels }, template, ...spec };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "refused" }, spec: whole };
}

function job(spec: object): Refused[2] {
  const whole = { template: { spec: { ...pod, restartPolicy: "Never" } }, ...spec };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "refused" }, spec: whole };
}

function core(kind: string, spec: object): Refused[2] {
  return { apiVersion: "v1", kind, metadata: { name: "refused" }, spec };
}

function claimSpec(storage: string) {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
}

const labelled = (more: object) => ({ template: { ...template, metadata: { labels: { ...labels, ...more } } } });
const chosen = (term: object) => ({ selector: { matchExpressions: [term] } });
const rolling = (rollingUpdate: object) => ({ strategy: { type: "RollingUpdate", rollingUpdate } });

const sets = "apis/apps/v1:statefulsets";
const deployments = "apis/apps/v1:deployments";
const jobs = "apis/batch/v1:jobs";
const claims = "api/v1:persistentvolumeclaims";

const LABEL = /a valid label must be an empty string or consist of alphanumeric characters/.source;
const NAME = /name part must consist of alphanumeric characters/.source;
const QUANTITY = "quantities must match the regular expression '";
/** A selector as Go prints it, in what follows the complaint about one of its parts. */
const WHOLE = /, spec\.selector: Invalid value: v1\.LabelSelector\{.*\}/.source;

export const refusedWorkloads: Refused[] = [
  [
    "a label value of the pods",
    sets,
    set(labelled({ x: "a b" })),
    re(`^spec\\.template\\.labels: Invalid value: "a b": ${LABEL}`),
  ],
  [
    "a label key of the pods",
    sets,
    set(labelled({ "-x": "a" })),
    re(`^spec\\.template\\.labels: Invalid value: "-x": ${NAME}`),
  ],
  [
    "an annotation of the pods",
    sets,
    set({ template: { ...template, metadata: { labels, annotations: { "a b": "" } } } }),
    re(`^spec\\.template\\.annotations: Invalid value: "a b": ${NAME}`),
  ],
  [
    "a label value of a selector",
    sets,
    set({ selector: { matchLabels: { app: "a b" } } }),
    re(`^\\[spec\\.selector\\.matchLabels: Invalid value: "a b": ${LABEL}.*${WHOLE}\\]$`),
  ],
  [
    "a label key of a selector",
    sets,
    set({ selector: { matchLabels: { "-app": "a" } } }),
    re(`^\\[spec\\.selector\\.matchLabels: Invalid value: "-app": ${NAME}.*${WHOLE}\\]$`),
  ],
  [
    "the operator of a selector",
    sets,
    set(chosen({ key: "app", operator: "Foo" })),
    re(
      `^\\[spec\\.selector\\.matchExpressions\\[0\\]\\.operator: Invalid value: "Foo": not a valid selector operator${WHOLE}\\]$`,
    ),
  ],
  [
    "a selector of no values",
    sets,
    set(chosen({ key: "app", operator: "In" })),
    re(
      `^\\[spec\\.selector\\.matchExpressions\\[0\\]\\.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'${WHOLE}\\]$`,
    ),
  ],
  [
    "a selector of values too many",
    sets,
    set(chosen({ key: "app", operator: "Exists", values: ["a"] })),
    re(
      `^\\[spec\\.selector\\.matchExpressions\\[0\\]\\.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'${WHOLE}\\]$`,
    ),
  ],
  [
    "an empty selector",
    sets,
    set({ selector: {} }),
    /^spec\.selector: Invalid value: .*: empty selector is invalid for statefulset$/,
  ],
  [
    "a missing selector",
    sets,
    set({ selector: undefined }),
    /^\[spec\.selector: Required value, spec\.template\.metadata\.labels: Invalid value: .*: `selector` does not match template `labels`\]$/,
  ],
  [
    "the size of a claim",
    sets,
    set({ volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec("big") }] }),
    re(QUANTITY),
  ],
  [
    "an amount of processors",
    sets,
    set({
      template: {
        ...template,
        spec: { containers: [{ ...pod.containers[0], resources: { requests: { cpu: "lots" } } }] },
      },
    }),
    re(QUANTITY),
  ],
  [
    "the order of the pods",
    sets,
    set({ podManagementPolicy: "Foo" }),
    /^spec\.podManagementPolicy: (Invalid value: "Foo": must be 'OrderedReady' or 'Parallel'|Unsupported value: "Foo")/,
  ],
  [
    "how a StatefulSet rolls",
    sets,
    set({ updateStrategy: { type: "Foo" } }),
    /^spec\.updateStrategy: Invalid value: .*: must be 'RollingUpdate' or 'OnDelete'$/,
  ],
  [
    "a partition below nothing",
    sets,
    set({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } } }),
    /^spec\.updateStrategy\.rollingUpdate\.partition: Invalid value: -1: must be greater than or equal to 0$/,
  ],
  [
    "a deadline for pods that are to stay",
    sets,
    set({ template: { ...template, spec: { ...pod, activeDeadlineSeconds: 5 } } }),
    /^spec\.template\.spec\.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported$/,
  ],
  [
    "a label value of a Deployment's selector",
    deployments,
    deployment({ selector: { matchLabels: { app: "a b" } } }),
    re(`^\\[spec\\.selector\\.matchLabels: Invalid value: "a b": ${LABEL}.*${WHOLE}: invalid label selector\\]$`),
  ],
  [
    "an empty selector of a Deployment",
    deployments,
    deployment({ selector: {} }),
    /^spec\.selector: Invalid value: .*: empty selector is invalid for deployment$/,
  ],
  [
    "a roll that can never move",
    deployments,
    deployment(rolling({ maxSurge: 0, maxUnavailable: 0 })),
    /^spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: .*: (may not|cannot) be 0 when `maxSurge` is 0$/,
  ],
  [
    "a share that is no percentage",
    deployments,
    deployment(rolling({ maxSurge: "x" })),
    /^spec\.strategy\.rollingUpdate\.maxSurge: Invalid value: .*: a valid percent string must be a numeric string followed by an ending '%'/,
  ],
  [
    "how a Deployment rolls",
    deployments,
    deployment({ strategy: { type: "Foo" } }),
    /^spec\.strategy(\.type)?: Unsupported value: .*: supported values: "Recreate", "RollingUpdate"$/,
  ],
  [
    "a Deployment that rolls and does not",
    deployments,
    deployment({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
    /^spec\.strategy\.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'$/,
  ],
  [
    "a deadline before anything can be ready",
    deployments,
    deployment({ progressDeadlineSeconds: 5, minReadySeconds: 10 }),
    /^spec\.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds$/,
  ],
  [
    "a history below nothing",
    deployments,
    deployment({ revisionHistoryLimit: -1 }),
    /^spec\.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0$/,
  ],
  [
    "a label of a Job's pods, which the Job has, too",
    jobs,
    job({ template: { metadata: { labels: { x: "a b" } }, spec: { ...pod, restartPolicy: "Never" } } }),
    re(
      `^\\[metadata\\.labels: Invalid value: "a b": ${LABEL}.*, spec\\.template\\.labels: Invalid value: "a b": ${LABEL}.*\\]$`,
    ),
  ],
  [
    "a deadline of a Job",
    jobs,
    job({ activeDeadlineSeconds: -1 }),
    /^spec\.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0$/,
  ],
  [
    "a selector that a Job did not make",
    jobs,
    job({ selector: { matchLabels: { a: "b" } } }),
    /spec\.selector: Invalid value: v1\.LabelSelector\{.*\}: `selector` not auto-generated/,
  ],
  ["a claim of a size that is none", claims, core("PersistentVolumeClaim", claimSpec("big")), re(QUANTITY)],
  [
    "a claim of nothing",
    claims,
    core("PersistentVolumeClaim", claimSpec("0")),
    /^spec\.resources\[storage\]: Invalid value: "0": must be greater than zero$/,
  ],
  [
    "the node that a pod asks for",
    "api/v1:pods",
    core("Pod", { ...pod, nodeSelector: { "-x": "a b" } }),
    re(
      `^\\[spec\\.nodeSelector: Invalid value: "-x": ${NAME}.*, spec\\.nodeSelector: Invalid value: "a b": ${LABEL}.*\\]$`,
    ),
  ],
  [
    "a quota below nothing",
    "api/v1:resourcequotas",
    core("ResourceQuota", { hard: { pods: "-1" } }),
    /^spec\.hard\[pods\]: Invalid value: "-1": must be greater than or equal to 0$/,
  ],
  [
    "a quota of what nobody counts",
    "api/v1:resourcequotas",
    core("ResourceQuota", { hard: { foo: "1" } }),
    /^\[spec\.hard\[foo\]: Invalid value: "foo": must be a standard resource type or fully qualified, spec\.hard\[foo\]: Invalid value: "foo": must be a standard resource for quota\]$/,
  ],
  [
    "a label that a Service looks for",
    "api/v1:services",
    core("Service", { selector: { a: "b c" }, ports: [{ port: 80 }] }),
    re(`^spec\\.selector: Invalid value: "b c": ${LABEL}`),
  ],
];

function re(source: string): RegExp {
  return new RegExp(source);
}
