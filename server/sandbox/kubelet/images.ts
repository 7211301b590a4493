/** What is known about pulling an image: it is there, it comes, or it fails with this text. */
export type Images = {
  isPresent(image: string): boolean;
  /** Null when the image was pulled. */
  pull(image: string): string | null;
};

/** Images of registries where nothing else exists, as on the test cluster. */
const known = new Set(["localhost/busybox:1", "localhost/node:20"]);
const REFUSING = /^localhost(:[0-9]+)?\/|^[^/]*\.invalid(:[0-9]+)?\//;

/** A node's images. Everything can be pulled but what its registry does not have. */
export function createImages(): Images {
  const present = new Set(known);
  return {
    isPresent: (image) => present.has(image),
    pull: (image) => {
      if (REFUSING.test(image) && !known.has(image)) {
        const reference = image.includes(":") ? image : `${image}:latest`;
        return `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`;
      }
      present.add(image);
      return null;
    },
  };
}

/** Whether the policy asks for a pull; without one, `:latest` and no tag mean Always. */
export function pullsAlways(image: string, policy: string | undefined): boolean {
  if (policy !== undefined) return policy === "Always";
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return !image.includes("@") && (tag === undefined || tag === "latest");
}
