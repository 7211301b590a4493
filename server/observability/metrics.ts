/** Numbers for Prometheus. A child (one set of labels) is asked for once and then costs an addition. */
export type Metrics = {
  counter(name: string, help: string): Family<Counter>;
  gauge(name: string, help: string): Family<Gauge>;
  /** A counter that is kept elsewhere, and looked up at every scrape. */
  total(name: string, help: string): Family<Gauge>;
  histogram(name: string, help: string, bounds?: readonly number[]): Family<Histogram>;
  /** Runs before every scrape, for what is cheaper to look up than to count. */
  onScrape(update: () => void): void;
  /** The text format of Prometheus, version 0.0.4. */
  text(): string;
};

type Labels = Readonly<Record<string, string>>;
type Family<Child> = { of(labels?: Labels): Child };
export type Counter = { add(by?: number): void; value(): number };
type Gauge = { set(value: number): void; value(): number };
type Histogram = { observe(value: number): void; count(): number };

/** Seconds, from a queue's microseconds to a request's timeout. */
const DURATION_BOUNDS = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Entry = { lines(): string[] };

export function createMetrics(): Metrics {
  const entries = new Map<string, Entry>();
  const updates: (() => void)[] = [];

  const family = <Child>(type: string, name: string, help: string, make: () => Child, linesOf: LinesOf<Child>) => {
    if (entries.has(name)) throw new Error(`the metric ${name} is declared twice`);
    const children = new Map<string, { labels: Labels; child: Child }>();
    entries.set(name, {
      lines: () => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...[...children.values()].flatMap(({ labels, child }) => linesOf(name, labels, child)),
      ],
    });
    return {
      of: (labels: Labels = {}) => {
        const id = JSON.stringify(labels);
        const known = children.get(id);
        if (known) return known.child;
        const child = make();
        children.set(id, { labels, child });
        return child;
      },
    };
  };

  return {
    counter: (name, help) => family("counter", name, help, createCounter, valueLines),
    gauge: (name, help) => family("gauge", name, help, createGauge, valueLines),
    total: (name, help) => family("counter", name, help, createGauge, valueLines),
    histogram: (name, help, bounds = DURATION_BOUNDS) =>
      family("histogram", name, help, () => createHistogram(bounds), histogramLines),
    onScrape: (update) => void updates.push(update),
    text: () => {
      for (const update of updates) update();
      return [...entries.values()].flatMap((entry) => entry.lines()).join("\n") + "\n";
    },
  };
}

type LinesOf<Child> = (name: string, labels: Labels, child: Child) => string[];
type Buckets = Histogram & { bounds: readonly number[]; buckets: readonly number[]; sum(): number };

function createCounter(): Counter {
  let total = 0;
  return { add: (by = 1) => void (total += by), value: () => total };
}

function createGauge(): Gauge {
  let current = 0;
  return { set: (value) => void (current = value), value: () => current };
}

function createHistogram(bounds: readonly number[]): Buckets {
  const buckets = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    bounds,
    buckets,
    observe: (value) => {
      count += 1;
      sum += value;
      for (let index = bounds.length - 1; index >= 0 && value <= (bounds[index] ?? 0); index--) {
        buckets[index] = (buckets[index] ?? 0) + 1;
      }
    },
    count: () => count,
    sum: () => sum,
  };
}

function valueLines(name: string, labels: Labels, child: { value(): number }): string[] {
  return [`${name}${labelText(labels)} ${child.value()}`];
}

function histogramLines(name: string, labels: Labels, child: Buckets): string[] {
  const bucket = (le: string, value: number) => `${name}_bucket${labelText({ ...labels, le })} ${value}`;
  return [
    ...child.bounds.map((bound, index) => bucket(String(bound), child.buckets[index] ?? 0)),
    bucket("+Inf", child.count()),
    `${name}_sum${labelText(labels)} ${child.sum()}`,
    `${name}_count${labelText(labels)} ${child.count()}`,
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
