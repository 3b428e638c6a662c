import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { v1Routes } from "../../api/v1/index.ts";
import { maxAttempts, retryWaitsMs, formatWait } from "../../core/model/workflow/delivery.ts";
import { eventTypes, type EventType } from "../../core/model/event-types.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { scopes } from "../../core/model/principal.ts";

const page = readFileSync("docs/contract.md", "utf8");

test("rules are numbered from 1 on, each number once, a later rule with the next one", () => {
  const numbers = [...page.matchAll(/^- \*\*C(\d+)\.\*\* /gmu)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(50);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
});

test("the table of events is the catalogue's; `vitest run` with `-u` writes it", async () => {
  const table = /^\| Event .*\n(?:\|.*\n)+/mu;
  const followed = page.replace(table, () => layOut(eventRows()));
  expect(followed).toContain("| `test.ping`");
  await expect(followed).toMatchFileSnapshot("../../docs/contract.md");
});

function eventRows(): string[][] {
  return [
    ["Event", "Fires when", "Filtered by channel"],
    ...eventTypes.map((type) => {
      const { summary, channelFiltered } = eventCatalogue[type];
      return [`\`${type}\``, summary, channelFiltered ? "yes" : "no"];
    }),
  ];
}

/** A table of Markdown with columns of one width, as the formatter writes it. */
function layOut([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, index) =>
    Math.max(...[head, ...rows].map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

test("the table of sources has the values of each event, and C43 names the events without a source", () => {
  const rule = /\*\*C43\.\*\*.*/u.exec(page)?.[0] ?? "";
  const rows = [...page.matchAll(/^\| (?:other )?`(\w+\.[\w*]+)` +\| (`\w+`, .*?) +\|$/gmu)];
  const shown = eventTypes.map((type) => {
    if (rule.includes(`\`${type}\``)) return [type, null];
    const names = [type, type.replace(/\..*/u, ".*")];
    const [, , cell = ""] = rows.find(([, name = ""]) => names.includes(name)) ?? [];
    return [type, { values: listValues(cell), others: cell.endsWith(" and others") }];
  });
  expect(shown).toEqual(eventTypes.map((type) => [type, readSources(type)]));
});

function listValues(text: string): string[] {
  return [...text.matchAll(/`(\w+)`/gu)].map(([, value = ""]) => value).toSorted();
}

/** Values of `source` in the schema of an event. Null for an event without a `source`. */
function readSources(type: EventType): { values: string[]; others: boolean } | null {
  const { source } = z.toJSONSchema(eventCatalogue[type].data).properties ?? {};
  if (typeof source !== "object") return null;
  if (source.enum !== undefined)
    return { values: source.enum.map(String).toSorted(), others: false };
  // Any word or null; the description has the words of today.
  expect(source.type).toEqual(["string", "null"]);
  return { values: listValues(source.description ?? ""), others: true };
}

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
