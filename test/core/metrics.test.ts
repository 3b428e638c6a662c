import { expect, test } from "vitest";
import { createRegistry } from "../../core/metrics.ts";

test.each([
  ["where they are served", 9_464, true],
  ["not where nobody can read them", null, false],
])("Node's own figures are collected %s", (_, metricsPort, isCollected) => {
  const names = createRegistry({ metricsPort })
    .getMetricsAsArray()
    .map(({ name }) => name);
  expect(names.includes("nodejs_eventloop_lag_p99_seconds")).toBe(isCollected);
});
