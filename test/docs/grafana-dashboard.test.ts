import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { createApiMetrics } from "../../api/metrics.ts";
import { createRegistry } from "../../core/metrics.ts";

interface Dashboard {
  panels: {
    id: number;
    title: string;
    gridPos: { x: number; y: number };
    targets: { expr: string; legendFormat: string }[];
  }[];
}

const file = new URL("../../docs/grafana-dashboard.json", import.meta.url);
const dashboard: Dashboard = JSON.parse(readFileSync(file, "utf8"));
const targets = dashboard.panels.flatMap((panel) => panel.targets);

/** Every metric of both processes with its labels; a histogram under each of its series. */
function listSeries(): Map<string, string[]> {
  const registry = createRegistry({ metricsPort: 9_464 });
  createWorkerMetrics(registry);
  createApiMetrics(registry);
  const series = new Map<string, string[]>();
  for (const metric of registry.getMetricsAsArray()) {
    const labels: string[] = Reflect.get(metric, "labelNames") ?? [];
    const suffixes = Reflect.has(metric, "buckets") ? ["_bucket", "_sum", "_count"] : [""];
    for (const suffix of suffixes) series.set(metric.name + suffix, [...labels]);
  }
  return series;
}

const series = listSeries();
const metricsIn = (expr: string) => expr.match(/\b(parley|nodejs|process)_[a-z0-9_]+/g) ?? [];

test("every metric of the dashboard exists, with the labels that it is grouped by", () => {
  expect(targets.length).toBeGreaterThan(15);
  for (const { expr, legendFormat } of targets) {
    const names = metricsIn(expr);
    expect(names).not.toEqual([]);
    for (const name of names) expect([expr, series.has(name)]).toEqual([expr, true]);
    const grouped = expr.match(/by \(([^)]*)\)/)?.[1]?.split(/, */) ?? [];
    const filtered = [...expr.matchAll(/([a-z]+)="/g)].map(([, label]) => label ?? "");
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? "");
    // Prometheus itself adds the instance; `le` is of every histogram.
    const known = ["le", "instance", ...names.flatMap((name) => series.get(name) ?? [])];
    for (const label of [...grouped, ...filtered]) expect(known).toContain(label);
    for (const label of shown) expect(grouped).toContain(label);
  }
});

test("every metric of ours is on the dashboard", () => {
  const used = new Set(targets.flatMap(({ expr }) => metricsIn(expr)));
  const own = [...series.keys()].filter((name) => /^parley_(?!.*_(sum|count)$)/.test(name));
  expect(own.filter((name) => !used.has(name))).toEqual([]);
});

test("panels have ids and places of their own", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x}:${y}`)).size).toBe(panels.length);
});
