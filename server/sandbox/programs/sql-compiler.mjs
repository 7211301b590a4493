// A stand-in for Feldera's compilers. The SQL stage checks the program for real, with a maintained parser of SQL; the
// Rust stage looks at the user's functions. The result is the termination message of the container; one that does not
// fit is the last line of the log, and the message says so.
// The same file runs inside the sandbox and as a real pod; there the parser lies beside it.

/** Kubernetes keeps this much of a termination message. */
const RESULT_BYTES_MAX = 4_096;
const RESULT_FILE = "/dev/termination-log";

export async function run(host) {
  const stage = host.args.at(-1);
  const read = async (name) => (await host.readFile(`/program/${name}`)) ?? "";
  const marks = await read("program.sql");
  await host.sleep(Number(/compile_ms=(\d+)/.exec(marks)?.[1] ?? host.env.COMPILER_MS ?? 200));
  if (marks.includes("compiler_crash")) return 2;
  const result = stage === "rust" ? rustResult(await read("udf.rs")) : sqlResult(marks, await host.sqlParser());
  host.log({ message: "compiled", stage, ok: result.ok });
  const text = JSON.stringify(result);
  const fits = Buffer.byteLength(text) <= RESULT_BYTES_MAX;
  if (!fits) host.log(result);
  await host.writeFile(RESULT_FILE, fits ? text : JSON.stringify({ result: "log" }));
  return 0;
}

function sqlResult(program, parser) {
  const tables = [];
  const views = [];
  const messages = [];
  for (const statement of statementsOf(program)) {
    const checked = check(statement, parser);
    if (checked.message) messages.push({ ...checked.message, snippet: snippetOf(program, checked.message) });
    else if (checked.table) tables.push(checked.table);
    else if (checked.view) views.push(checked.view);
  }
  const ok = messages.length === 0;
  return {
    ok,
    sql_compilation: { exit_code: ok ? 0 : 1, messages },
    ...(ok && {
      program_info: {
        schema: { inputs: tables, outputs: views },
        udf_stubs: "",
        input_connectors: {},
        output_connectors: {},
      },
    }),
  };
}

function rustResult(code) {
  const open = [...code].reduce((depth, letter) => depth + (letter === "{" ? 1 : letter === "}" ? -1 : 0), 0);
  const stderr = open === 0 ? "" : "error: this file contains an unclosed delimiter\n";
  return { ok: open === 0, rust_compilation: { exit_code: open === 0 ? 0 : 101, stdout: "", stderr } };
}

/** Clauses that Feldera's dialect adds, blanked out in place: what the parser reports still has its true position. */
const additions = [
  /\)\s*WITH\s*\(\s*'(?:[^']|'')*'\s*=\s*'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*'\s*=\s*'(?:[^']|'')*')*\s*\)/gi,
  /\bLATENESS\s+INTERVAL\s+'[^']*'\s+\w+/gi,
  /(?<=CREATE\s+)(LOCAL|MATERIALIZED)(?=\s+VIEW)/gi,
];

function blanked(sql) {
  return additions.reduce(
    (text, addition) =>
      text.replace(addition, (found) => found.replace(/[^\n)]|(?<=.)\)/gs, (c) => (c === "\n" ? c : " "))),
    sql,
  );
}

function check({ text, line, column }, parser) {
  try {
    const parsed = parser.astify(blanked(text), { database: "Postgresql" });
    const [tree] = Array.isArray(parsed) ? parsed : [parsed];
    if (tree?.type !== "create")
      throw Object.assign(new Error(`only CREATE statements make up a program`), { location: null });
    const name = tree.keyword === "view" ? tree.view?.view : tree.table?.[0]?.table;
    if (tree.keyword === "table") return { table: { name, case_sensitive: false, fields: fieldsOf(tree) } };
    return tree.keyword === "view" ? { view: { name, case_sensitive: false, fields: [] } } : {};
  } catch (error) {
    const at = error.location?.start ?? { line: 1, column: 1 };
    const start = { line: line + at.line - 1, column: at.line === 1 ? column + at.column - 1 : at.column };
    return {
      message: {
        start_line_number: start.line,
        start_column: start.column,
        end_line_number: start.line,
        end_column: start.column + 1,
        warning: false,
        error_type: "Error parsing SQL",
        message: wordsOf(error, text),
      },
    };
  }
}

/** The parser lists every token that would have done; the one that stood there says more. */
function wordsOf({ message, location }, text) {
  if (!location) return message;
  const found = /^(\w+|\S)/.exec(text.slice(location.start.offset))?.[0];
  return found ? `"${found}" is not expected here` : "the statement ends too early";
}

function fieldsOf(tree) {
  return (tree.create_definitions ?? [])
    .filter(({ resource }) => resource === "column")
    .map(({ column, definition, nullable }) => ({
      name: column?.column?.expr?.value ?? column?.column ?? "",
      columntype: { type: definition?.dataType ?? "", nullable: nullable?.type !== "not null" },
    }));
}

/** The statements with where they begin; a semicolon inside quotes or a comment ends none. */
function statementsOf(program) {
  const pieces = program.match(/(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[^;'"])+|['";]/g) ?? [];
  let line = 1;
  let column = 1;
  const found = [];
  for (const piece of pieces) {
    const lead = /^(?:\s|--[^\n]*\n?|\/\*[\s\S]*?\*\/)*/.exec(piece)?.[0] ?? "";
    advance(lead);
    const text = piece.slice(lead.length);
    if (text && text !== ";") found.push({ text, line, column });
    advance(text);
  }
  return found;

  function advance(text) {
    const lines = text.split("\n");
    line += lines.length - 1;
    column = lines.length > 1 ? lines.at(-1).length + 1 : column + text.length;
  }
}

function snippetOf(program, { start_line_number: line, start_column: column }) {
  return `${line}|${program.split("\n")[line - 1] ?? ""}\n${" ".repeat(String(line).length + column)}^`;
}

/** The host when this is the only program of a real process. */
async function processHost() {
  const { readFile, writeFile } = await import("node:fs/promises");
  const { createRequire } = await import("node:module");
  return {
    env: process.env,
    args: process.argv.slice(2),
    log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    readFile: (path) => readFile(path, "utf8").catch(() => null),
    writeFile,
    sqlParser: async () => new (createRequire(import.meta.url)("./sql-parser.cjs").Parser)(),
  };
}

if (process.argv[1]?.endsWith("/sql-compiler.mjs")) run(await processHost()).then((code) => process.exit(code));
