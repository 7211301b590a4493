export type DiffLine = { mark: " " | "+" | "-"; line: string };

/** What turns one text into the other, line by line, with as much kept as can be. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const kept = lengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: " ", line: a[i] ?? "" });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && keptFrom(kept, i + 1, j) >= keptFrom(kept, i, j + 1))) {
      lines.push({ mark: "-", line: a[i++] ?? "" });
    } else lines.push({ mark: "+", line: b[j++] ?? "" });
  }
  return lines;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** For every pair of positions, how many lines the two rests have in common, in order. */
function lengths(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row)
        row[j] =
          a[i] === b[j]
            ? keptFrom(table, i + 1, j + 1) + 1
            : Math.max(keptFrom(table, i + 1, j), keptFrom(table, i, j + 1));
    }
  }
  return table;
}

function keptFrom(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}
