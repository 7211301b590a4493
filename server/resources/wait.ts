import type { Asked } from "./context";
import { explain } from "./explain";
import { mustRead } from "./get";
import { idOf, type Ref } from "./ref";
import { Refused } from "./refusal";
import { rowColumns, rowOf, type Row, type StoredRow } from "./row";

export type WaitInput = Ref & { states: string[]; lifecycle?: string | undefined; timeoutMs: number };

/** Waits until a resource is in one of the states; if it is not in time, says what it waits for. */
export async function wait(asked: Asked, input: WaitInput, signal: AbortSignal) {
  await mustRead(asked, input);
  const startedMs = asked.clock.monotonic();
  const row = await rowWhen(asked, input, signal);
  const waitedMs = Math.round(asked.clock.monotonic() - startedMs);
  const state = row && stateOf(row, input);
  if (state !== null && input.states.includes(state)) return { reached: true, state, waitedMs, reason: null };
  return { reached: false, state, waitedMs, reason: await reasonOf(asked, input) };
}

/** The row as soon as it is as asked for, or as it is when the time is over. */
async function rowWhen(asked: Asked, input: WaitInput, signal: AbortSignal): Promise<Row | null> {
  let current: Row | null = null;
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const isThere = () => current !== null && input.states.includes(stateOf(current, input));
  const unsubscribe = asked.hub.subscribe((changes) => {
    const change = changes.findLast(({ id }) => id === idOf(input));
    if (!change) return;
    current = change.row;
    if (isThere()) end();
  });
  const timer = asked.clock.setTimeout(end, input.timeoutMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    // After subscribing: a change in between is told by the hub.
    const stored = await storedRow(asked, input);
    current ??= stored;
    if (!isThere() && !signal.aborted) await over;
    return current;
  } finally {
    timer.cancel();
    unsubscribe();
  }
}

async function storedRow({ database }: Asked, ref: Ref): Promise<Row | null> {
  const [row] = await database.query<StoredRow>(
    `SELECT ${rowColumns} FROM "Resource" WHERE "id" = $1 AND "deletedAt" IS NULL`,
    [idOf(ref)],
  );
  return row ? rowOf(row) : null;
}

function stateOf(row: Row, { lifecycle }: WaitInput): string {
  return lifecycle === undefined ? row.state : (row.lifecycles[lifecycle]?.state ?? "");
}

async function reasonOf(asked: Asked, ref: Ref): Promise<string> {
  try {
    return (await explain(asked, ref)).sentence;
  } catch (error) {
    if (error instanceof Refused) return error.refusal.sentence;
    throw error;
  }
}
