import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { v1Routes } from "../../api/v1/index.ts";
import { maxAttempts, retryWaitsMs, formatWait } from "../../core/model/workflow/delivery.ts";
import { eventCatalogue, eventTypes } from "../../core/model/events.ts";
import { scopes } from "../../core/model/principal.ts";

const page = readFileSync("docs/contract.md", "utf8");

test("rules are numbered from 1 on, each number once, a later rule with the next one", () => {
  const numbers = [...page.matchAll(/^- \*\*C(\d+)\.\*\* /gmu)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(50);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
});

test("the table of events has every type, and the channel filter of the catalogue", () => {
  const rows = [...page.matchAll(/^\| `([a-z_.]+)` +\| .* \| (yes|no) +\|$/gmu)];
  expect(rows.map(([, type, filtered]) => [type, filtered === "yes"])).toEqual(
    eventTypes.map((type) => [type, eventCatalogue[type].channelFiltered]),
  );
});

test("the table of scopes has every endpoint of API v1 under its scope", () => {
  const rows = [...page.matchAll(/^\| `([a-z]+:[a-z]+)` +\| (.*) \|$/gmu)];
  const shown = rows.flatMap(([, scope, cell = ""]) =>
    [...cell.matchAll(/[A-Z]+ \/[\w/:]+/gu)].map(([call]) => `${scope} ${call}`),
  );
  const routes = v1Routes.flatMap(({ method, path, access }) =>
    access.kind === "scope" ? [`${access.scope} ${method} ${path}`] : [],
  );
  expect(shown.toSorted()).toEqual(routes.toSorted());
  expect(rows.map(([, scope]) => scope)).toEqual([...scopes]);
});

test("the waits are those of a delivery", () => {
  expect(maxAttempts).toBe(6);
  const waits = retryWaitsMs.map(formatWait);
  expect(page).toContain(`${waits.slice(0, -1).join(", ")} and ${waits.at(-1)}.`);
});
