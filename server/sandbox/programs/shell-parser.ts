import { own } from "@/server/sandbox/json";
import { type Node, type Redirect, ShellSyntaxError, type Token, tokenize } from "./shell-syntax";

const RESERVED = new Set(["then", "else", "elif", "fi", "do", "done", "}"]);

/** The tree of a script. Throws a ShellSyntaxError that says what was not expected. */
export function parseScript(script: string): Node {
  const tokens = tokenize(script);
  let at = 0;

  const peek = (): Token | undefined => tokens[at];
  const operator = () => {
    const token = peek();
    return token?.type === "operator" ? token.text : undefined;
  };
  const keyword = () => {
    const token = peek();
    return token?.type === "word" ? token.raw : undefined;
  };
  const unexpected = () => {
    const token = peek();
    const what =
      token === undefined
        ? "end of file"
        : token.type === "word"
          ? token.raw
          : token.type === "operator"
            ? token.text
            : token.mode;
    return new ShellSyntaxError(`syntax error: unexpected "${what}"`);
  };
  function expect(word: string) {
    if (keyword() !== word && operator() !== word) throw unexpected();
    at += 1;
  }

  function list(): Node {
    const items: { node: Node; background: boolean }[] = [];
    for (;;) {
      while (operator() === ";") at += 1;
      if (!peek() || operator() === ")" || RESERVED.has(keyword() ?? "")) break;
      const node = chain();
      const background = operator() === "&";
      items.push({ node, background });
      if (background || operator() === ";") at += 1;
      else break;
    }
    return { type: "list", items };
  }

  function chain(): Node {
    let left = pipe();
    for (let next = operator(); next === "&&" || next === "||"; next = operator()) {
      at += 1;
      while (operator() === ";") at += 1;
      left = { type: "chain", operator: next, left, right: pipe() };
    }
    return left;
  }

  function pipe(): Node {
    const negate = keyword() === "!";
    if (negate) at += 1;
    const commands = [command()];
    while (operator() === "|") {
      at += 1;
      commands.push(command());
    }
    return commands.length === 1 && commands[0] && !negate ? commands[0] : { type: "pipe", commands, negate };
  }

  const compound: Record<string, () => Node> = {
    while: () => loop(false),
    until: () => loop(true),
    for: forLoop,
    if: conditional,
    "{": () => {
      at += 1;
      const body = list();
      expect("}");
      return { type: "group", subshell: false, body, redirects: redirects() };
    },
  };

  function command(): Node {
    const build = own(compound, keyword() ?? "");
    if (build) return build();
    if (operator() === "(") {
      at += 1;
      const body = list();
      expect(")");
      return { type: "group", subshell: true, body, redirects: redirects() };
    }
    return simple();
  }

  function loop(until: boolean): Node {
    at += 1;
    const test = list();
    expect("do");
    const body = list();
    expect("done");
    return { type: "loop", until, test, body, redirects: redirects() };
  }

  function forLoop(): Node {
    at += 1;
    const name = keyword() ?? "";
    at += 1;
    const words = [];
    if (keyword() === "in") {
      at += 1;
      for (let token = peek(); token?.type === "word"; token = peek()) {
        words.push(token.word);
        at += 1;
      }
    }
    while (operator() === ";") at += 1;
    expect("do");
    const body = list();
    expect("done");
    return { type: "for", name, words, body };
  }

  function conditional(): Node {
    const branches: { test: Node; body: Node }[] = [];
    let otherwise: Node | null = null;
    do {
      at += 1;
      const test = list();
      expect("then");
      branches.push({ test, body: list() });
    } while (keyword() === "elif");
    if (keyword() === "else") {
      at += 1;
      otherwise = list();
    }
    expect("fi");
    return { type: "if", branches, otherwise };
  }

  function redirects(): Redirect[] {
    const found: Redirect[] = [];
    for (let token = peek(); token?.type === "redirect"; token = peek()) {
      at += 1;
      const target = peek();
      if (target?.type !== "word") throw unexpected();
      at += 1;
      found.push(
        token.mode === ">&"
          ? { from: token.from, mode: "&", to: Number(target.raw) }
          : { from: token.from, mode: token.mode, to: target.word },
      );
    }
    return found;
  }

  function simple(): Node {
    const node: Extract<Node, { type: "simple" }> = { type: "simple", assignments: [], words: [], redirects: [] };
    for (let token = peek(); token && token.type !== "operator"; token = peek()) {
      if (token.type === "redirect") {
        node.redirects.push(...redirects());
        continue;
      }
      at += 1;
      const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(token.raw);
      const [first, ...others] = token.word;
      if (assignment && node.words.length === 0 && first?.type === "text") {
        const value = { ...first, text: first.text.slice(assignment[0].length) };
        node.assignments.push({ name: assignment[1] ?? "", value: [value, ...others] });
      } else node.words.push(token.word);
    }
    if (node.words.length + node.assignments.length + node.redirects.length === 0) throw unexpected();
    return node;
  }

  const tree = list();
  if (peek()) throw unexpected();
  return tree;
}
