import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { eventCatalogue } from "../../core/model/events.ts";
import { dashboardBuild, ensureDashboard } from "../../dev/build/dashboard-build.ts";

interface Chunk {
  file: string;
  imports?: string[];
}

let manifest: Record<string, Chunk>;

beforeAll(async () => {
  await ensureDashboard(() => undefined);
  const path = join(dashboardBuild, ".vite", "manifest.json");
  manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, Chunk>;
});

/** The files that a browser fetches for these chunks, each once. */
function filesOf(names: string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`${name} is not in the build.`);
    if (seen.has(chunk.file)) continue;
    seen.add(chunk.file);
    filesOf(chunk.imports ?? [], seen);
  }
  return seen;
}

const inbox = ["index.html", "src/features/inbox/inbox-page.tsx", "src/locales/es/first.ts"];

test("the inbox is there after less than 350 kB of packed JavaScript, in either language", () => {
  const bytes = [...filesOf(inbox)].map(
    (file) => statSync(join(dashboardBuild, `${file}.gz`)).size,
  );
  const total = bytes.reduce((sum, one) => sum + one, 0);
  process.stdout.write(`inbox: ${(total / 1_000).toFixed(0)} kB of JavaScript, packed\n`);
  expect(total).toBeLessThan(350_000);
});

test("samples of events come with the pages that show them, not with the inbox", () => {
  const { resource_name: word } = eventCatalogue["appointment.created"].sample;
  const hasSample = (file: string): boolean =>
    readFileSync(join(dashboardBuild, file), "utf8").includes(word);
  const webhooks = filesOf(["src/features/webhooks/webhooks-page.tsx"]);
  expect([...filesOf(inbox)].filter(hasSample)).toEqual([]);
  expect([...webhooks].filter(hasSample)).toHaveLength(1);
});
