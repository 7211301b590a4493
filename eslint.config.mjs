import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** Folder → what it may not import. Arrows point inwards: app → components → machines ← server. */
const fences = {
  "machines/**": [
    "@/server/**",
    "@/components/**",
    "@/app/**",
    "@/prisma/**",
    "react",
    "next/**",
    "@kubernetes/**",
    "@trpc/**",
    "node:*",
  ],
  "components/**": ["@/server/**", "@/app/**", "@/prisma/**", "@kubernetes/**", "node:*"],
  "server/**": ["@/components/**", "@/app/**", "react", "next/**"],
};

/** Folder of a family → the folders of the others. A family that needs another one is two families that are one. */
const familyNames = ["firebolt", "boilerhouse", "scheduler", "feldera", "omnia"];
const familyFences = familyNames.flatMap((family) =>
  Object.entries(fences).map(([layer, group]) => ({
    files: [`${layer.split("/")[0]}/${family}/**`],
    rules: restricted([...group, ...familyNames.filter((other) => other !== family).map((other) => `@/*/${other}/**`)]),
  })),
);

export default tseslint.config(
  {
    ignores: [
      "**/generated/**",
      ".next/**",
      ".orrery/**",
      "node_modules/**",
      "*.config.*",
      "scripts/*.mjs",
      "server/sandbox/programs/*.mjs",
      "next-env.d.ts",
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      "@typescript-eslint/consistent-type-definitions": ["error", "type"],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/only-throw-error": "error",
      "max-params": ["warn", 4],
      "max-lines": ["warn", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["warn", { max: 60, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
    },
  },
  {
    files: ["server/**"],
    ignores: ["server/own-error.ts", "server/sandbox/**", "**/*.test.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: ":matches(ClassDeclaration, ClassExpression)[superClass.name=/Error$/]",
          message: "Extend ownError(name): the pages have a copy of each class, and instanceof must hold for both.",
        },
      ],
    },
  },
  ...Object.entries(fences).map(([files, group]) => ({ files: [files], rules: restricted(group) })),
  ...familyFences,
  { files: ["components/**", "app/**"], plugins: { "react-hooks": hooks }, rules: hooks.configs.recommended.rules },
  {
    files: ["**/*.test.ts", "**/*.spec.ts", "**/contract/**", "**/fixtures/**"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "max-lines-per-function": "off",
      "max-lines": "off",
    },
  },
);

function restricted(group) {
  return { "@typescript-eslint/no-restricted-imports": ["error", { patterns: [{ group, allowTypeImports: true }] }] };
}
