import { expect, test } from "vitest";
import { podRevision } from "./pod-revision";

test("a revision is the one that a StatefulSet controller gave to the same template", () => {
  // As Kubernetes 1.20 answered, defaults and all.
  const template = {
    metadata: { annotations: { x: "a<b>&c" }, creationTimestamp: null, labels: { a: "b" } },
    spec: {
      containers: [
        {
          args: ["x"],
          image: "busybox",
          imagePullPolicy: "Always",
          name: "c",
          resources: { requests: { cpu: "10m" } },
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      nodeSelector: { none: "here" },
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    },
  };
  const set = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "h-1" }, spec: { template } };
  expect(podRevision(set)).toBe("h-1-6c996665f");
});
