import { notFound } from "next/navigation";
import { noNamespace } from "@/components/paths";
import { ResourcePage } from "@/components/resource/resource-page";
import { kinds } from "@/machines/families";
import { Prefetch } from "@/app/prefetch";

type Props = { params: Promise<{ family: string; kind: string; namespace: string; name: string }> };

export default async function OnePage({ params }: Props) {
  const { family, kind: short, namespace: within, name } = await params;
  const kind = `${family}.${short}`;
  if (!Object.hasOwn(kinds, kind)) notFound();
  const ref = { kind, namespace: within === noNamespace ? "" : within, name };
  return (
    <Prefetch
      queries={(trpc) => [
        trpc.resource.get.queryOptions(ref),
        trpc.resource.explain.queryOptions(ref),
        trpc.resource.history.queryOptions({ ...ref, limit: 100 }),
        trpc.machines.get.queryOptions({ kind }),
      ]}
    >
      <ResourcePage key={`${kind}/${ref.namespace}/${name}`} {...ref} />
    </Prefetch>
  );
}

export async function generateMetadata({ params }: Props) {
  return { title: (await params).name };
}
