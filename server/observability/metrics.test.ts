import { expect, test } from "vitest";
import { createMetrics } from "./metrics";

test("counters, gauges and histograms are given in the text format of Prometheus", () => {
  const metrics = createMetrics();
  metrics.counter("done_total", "Things done").of({ kind: 'a "quoted"\nname' }).add(2);
  metrics.gauge("depth", "How deep").of().set(3);
  const times = metrics.histogram("seconds", "How long", [0.1, 1]).of({ kind: "a" });
  for (const value of [0.05, 0.5, 5]) times.observe(value);
  expect(metrics.text()).toBe(
    [
      "# HELP done_total Things done",
      "# TYPE done_total counter",
      'done_total{kind="a \\"quoted\\"\\nname"} 2',
      "# HELP depth How deep",
      "# TYPE depth gauge",
      "depth 3",
      "# HELP seconds How long",
      "# TYPE seconds histogram",
      'seconds_bucket{kind="a",le="0.1"} 1',
      'seconds_bucket{kind="a",le="1"} 2',
      'seconds_bucket{kind="a",le="+Inf"} 3',
      'seconds_sum{kind="a"} 5.55',
      'seconds_count{kind="a"} 3',
      "",
    ].join("\n"),
  );
});

test("the same labels are the same child, and what is looked up is looked up at each scrape", () => {
  const metrics = createMetrics();
  const total = metrics.counter("t", "T");
  total.of({ a: "1" }).add();
  total.of({ a: "1" }).add();
  const gauge = metrics.gauge("g", "G").of();
  let scrapes = 0;
  metrics.onScrape(() => gauge.set(++scrapes));
  expect(metrics.text()).toContain('t{a="1"} 2');
  expect(metrics.text()).toContain("g 2");
});

test("a metric cannot be declared twice", () => {
  const metrics = createMetrics();
  metrics.counter("t", "T");
  expect(() => metrics.gauge("t", "T")).toThrow("declared twice");
});
