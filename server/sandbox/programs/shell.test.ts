import { describe, expect, test } from "vitest";
import { createVirtualClock } from "@/server/kubernetes/clock";
import { createFileSystem } from "@/server/sandbox/kubelet/file-system";
import { commandNamed } from "./commands";
import { createPipe } from "./pipe";
import { startProcess } from "./process";
import { packTar, unpackTar } from "./tar";

const clock = createVirtualClock();

function shellRun(script: string, input = "") {
  const files = createFileSystem(() => clock.now());
  files.makeDirectory("/tmp");
  let out = "";
  let err = "";
  const stdin = createPipe();
  stdin.write(input);
  stdin.end();
  const sh = commandNamed("sh");
  if (!sh) throw new Error("no shell");
  const process = startProcess(sh, {
    argv: ["sh", "-c", script],
    env: { NAME: "orrery", PATH: "/bin" },
    directory: "/",
    files,
    clock,
    address: "127.0.0.1",
    hostname: "pod-0",
    ports: [],
    stdin,
    stdout: (chunk) => void (out += chunk.toString()),
    stderr: (chunk) => void (err += chunk.toString()),
    bind: async () => () => undefined,
  });
  return { process, files, outcome: process.exited.then(({ code }) => ({ code, out, err })) };
}

describe("the shell of played containers", () => {
  // prettier-ignore
  test.each([
    ["echo hello",                                       0,   "hello\n"],
    ["echo -n a; echo b",                                0,   "ab\n"],
    ["echo \"$NAME is ${NAME}\" '$NAME'",                0,   "orrery is orrery $NAME\n"],
    ["false || echo no; true && echo yes",               0,   "no\nyes\n"],
    ["exit 3",                                           3,   ""],
    ["(exit 4); echo $?",                                0,   "4\n"],
    ["nosuchcommand",                                    127, ""],
    ["constructor",                                      127, ""],
    ["A=1 B=2; echo $A$B ${C:-c}",                       0,   "12 c\n"],
    ["A=a-b-c; echo ${A#*-} ${A##*-} ${A%-*} ${A%%-*} ${A#x}", 0, "b-c c a-b a a-b-c\n"],
    ["echo one two | wc -w",                             0,   "2\n"],
    ["printf '%s-%s\\n' a b",                            0,   "a-b\n"],
    ["for i in 1 2 3; do echo $i; done",                 0,   "1\n2\n3\n"],
    ["i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", 0, "3\n"],
    ["if test -f /tmp/x; then echo there; else echo not; fi", 0, "not\n"],
    ["mkdir -p /a/b && touch /a/b/c && ls /a/b",         0,   "c\n"],
    ["echo x > /tmp/f; echo y >> /tmp/f; cat /tmp/f",    0,   "x\ny\n"],
    ["cat /none 2>/dev/null; echo $?",                   0,   "1\n"],
    ["echo $(echo inner) `echo old`",                    0,   "inner old\n"],
    ["cat; echo end",                                    0,   "fed\nend\n"],
    ["trap 'echo bye' EXIT; echo hi",                    0,   "hi\nbye\n"],
    ["! false; echo $?",                                 0,   "0\n"],
    ["{ echo a; echo b; } > /tmp/g; grep -c . /tmp/g",   0,   "2\n"],
    ["hostname; cd /tmp; pwd",                           0,   "pod-0\n/tmp\n"],
    ["echo /tm*",                                        0,   "/tmp\n"],
    ["set -e; echo 'a b'  c",                            0,   "a b c\n"],
  ])("%s", async (script, code, out) => {
    expect(await shellRun(script, "fed\n").outcome).toMatchObject({ code, out });
  });

  test("a syntax error is told and ends with 2", async () => {
    const { code, err } = await shellRun("if true; then").outcome;
    expect({ code, err }).toEqual({ code: 2, err: 'sh: syntax error: unexpected "end of file"\n' });
  });

  test("sleep waits on the clock, and a signal without a trap has no effect on a container's first process", async () => {
    const { process, outcome } = shellRun("sleep 10; echo done");
    process.signal("SIGTERM");
    await clock.advance(9_000);
    process.signal("SIGTERM");
    await clock.advance(1_000);
    expect(await outcome).toMatchObject({ code: 0, out: "done\n" });
  });

  test("a trap ends a script that waits for its background job", async () => {
    const { process, outcome } = shellRun("trap 'echo term; exit 0' TERM; sleep 3600 & wait");
    await clock.settle();
    await clock.settle();
    process.signal("SIGTERM");
    expect(await outcome).toMatchObject({ code: 0, out: "term\n" });
  });

  test("SIGKILL ends everything at once", async () => {
    const { process, outcome } = shellRun("while true; do sleep 1; done");
    await clock.settle();
    process.signal("SIGKILL");
    expect(await outcome).toMatchObject({ code: 137 });
  });

  test("what tar packs, tar unpacks, with long names, links and modes", async () => {
    const { files, outcome } = shellRun(
      "mkdir -p /src/deep && echo content > /src/deep/file && ln -s deep/file /src/link && tar cf /tmp/a.tar -C / src && mkdir /dst && tar xf /tmp/a.tar -C /dst && cat /dst/src/link",
    );
    expect(await outcome).toMatchObject({ code: 0, out: "content\n", err: "" });
    const long = `${"d/".repeat(60)}name`;
    const packed = packTar([
      { path: long, entry: { type: "file", data: Buffer.from("x"), mode: 0o755, mtimeMs: 1_000 } },
    ]);
    expect(unpackTar(packed)).toEqual([
      { path: long, entry: { type: "file", data: Buffer.from("x"), mode: 0o755, mtimeMs: 1_000 } },
    ]);
    expect(files.read("/dst/src/deep/file")?.toString()).toBe("content\n");
  });
});
