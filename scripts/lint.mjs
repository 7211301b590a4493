// Types and lint over one program: what the compiler has worked out about the types, the linter need not work out again.
import { ESLint } from "eslint";
import ts from "typescript";
import { root } from "./prepare.mjs";

const host = {
  ...ts.sys,
  getCurrentDirectory: () => root,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail([diagnostic]),
};
const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", { incremental: false }, host);
const files = ts.createCompilerHost(config.options, true);
// The linter reads `@deprecated`, which the compiler alone would skip.
files.jsDocParsingMode = ts.JSDocParsingMode.ParseAll;
const program = ts.createProgram({
  rootNames: config.fileNames,
  options: config.options,
  host: files,
  configFileParsingDiagnostics: config.errors,
});
const wrong = ts.getPreEmitDiagnostics(program);

const eslint = new ESLint({
  cwd: root,
  // As `--quiet`: what only warns is for the editor.
  ruleFilter: ({ severity }) => severity === 2,
  overrideConfig: { languageOptions: { parserOptions: { projectService: false, programs: [program] } } },
});
const results = ESLint.getErrorResults(await eslint.lintFiles(["."]));
console.log((await eslint.loadFormatter("stylish")).format(results));
if (wrong.length > 0) fail(wrong);
process.exitCode = results.length > 0 ? 1 : 0;

function fail(diagnostics) {
  const form = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" };
  console.log(ts.formatDiagnostics(diagnostics, form));
  process.exit(1);
}
