import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { dashboardBuild, ensureDashboard } from "../../dev/dashboard-build.ts";

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

test("the inbox is there after less than 350 kB of packed JavaScript, in either language", () => {
  const files = filesOf([
    "index.html",
    "src/features/inbox/inbox-page.tsx",
    "src/locales/es/first.ts",
  ]);
  const bytes = [...files].map((file) => statSync(join(dashboardBuild, `${file}.gz`)).size);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  process.stdout.write(`inbox: ${(total / 1_000).toFixed(0)} kB of JavaScript, packed\n`);
  expect(total).toBeLessThan(350_000);
});
