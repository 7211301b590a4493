/** Images whose tag moves are pulled every time; the others only when the node has none. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "";
  return tag === "" || tag === "latest" || tag === "dev" ? "Always" : "IfNotPresent";
}
