import { z } from "zod";
import { objectRefSchema } from "./evidence-answers";
import { toneSchema } from "./row";

export type TreeNode = {
  object: z.infer<typeof objectRefSchema>;
  tone: z.infer<typeof toneSchema>;
  sentence: string;
  createdAt: string | null;
  children: TreeNode[];
};
const treeSchema: z.ZodType<TreeNode> = z
  .object({
    object: objectRefSchema,
    tone: toneSchema,
    sentence: z.string(),
    createdAt: z.string().nullable(),
    get children() {
      return z.array(treeSchema);
    },
  })
  .meta({ id: "OwnedObject" });
export const objectsSchema = z.object({
  tree: z.array(treeSchema),
  hidden: z.array(z.string()).describe("kinds of object that the caller may not list"),
});

export const yamlSchema = z.object({ yaml: z.string(), redacted: z.int().describe("values that were left out") });
