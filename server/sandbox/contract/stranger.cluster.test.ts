import { strangerStory } from "@/server/sandbox/contract/stranger-story";

strangerStory(() => {
  const kubeconfig = process.env["KUBECONFIG"];
  if (!kubeconfig) throw new Error("Name a disposable cluster with KUBECONFIG.");
  return kubeconfig;
});
