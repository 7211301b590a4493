import { createClient } from "@/server/kubernetes/client";
import { systemClock } from "@/server/kubernetes/clock";
import { connectionFrom } from "@/server/kubernetes/connection";
import { pathOf } from "@/server/kubernetes/object";
import { benchletStatusOf, createBenchlet } from "../benchlet";
import { contestantTask } from "../contestant";

/** The least that a loop can do: a watch, and a status patch for every object whose status is behind. No cache, queue or retry. */
const { group, namespace } = contestantTask();
const connection = await connectionFrom({ kubeconfig: process.env.KUBECONFIG ?? "" });
const client = createClient({ connection, clock: systemClock });
const { api } = createBenchlet(group);
const { resourceVersion } = await client.list(api, { namespace });
const options = { query: { watch: true, resourceVersion }, signal: new AbortController().signal };
await client.watchInto(pathOf(api, { namespace }), options, {
  onOpen: () => void process.send?.("ready"),
  onEvent: ({ object }) => {
    const value = Number(object.spec?.value);
    if (object.status?.value === value) return;
    const body = { status: benchletStatusOf(object.metadata.generation ?? 0, value, Date.now()) };
    void client.patch(api, object.metadata, body, { type: "merge", subresource: "status" });
  },
});
