import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { loaderConfigOf } from "../../core/model/widget-files.ts";
import { widgetSettings } from "../../core/model/widget.ts";
import { ensureWidget, widgetBuild } from "../../dev/build/widget-build.ts";

const kilobyte = 1_024;

interface Chunk {
  file: string;
  imports?: string[];
}

let manifest: Record<string, Chunk>;

beforeAll(async () => {
  await ensureWidget(() => undefined);
  const path = join(widgetBuild, ".vite", "manifest.json");
  manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, Chunk>;
});

function packedSize(name: string): number {
  const { file } = manifest[name] ?? {};
  if (file === undefined) throw new Error(`${name} is not in the build.`);
  return statSync(join(widgetBuild, `${file}.gz`)).size;
}

test("the loader is at most 6 KB, packed, with its settings", () => {
  const settings = widgetSettings.parse({});
  const config = loaderConfigOf({
    key: "A".repeat(26),
    origin: "https://chat.parley.example",
    company: "Garden Street Supplies",
    identity_mode: "off",
    settings,
  });
  const loader = readFileSync(join(widgetBuild, "loader.js"), "utf8");
  const size = gzipSync(loader + JSON.stringify(config), { level: 9 }).length;
  process.stdout.write(`loader: ${size} bytes, packed\n`);
  expect(size).toBeLessThanOrEqual(6 * kilobyte);
});

test.each(["en", "es", "pt"])(
  "the panel's first load in %s is at most 24 KB of JavaScript and 5 KB of CSS, packed",
  (locale) => {
    const scripts = packedSize("panel/main.tsx") + packedSize(`panel/locales/${locale}.ts`);
    const style = packedSize("style.css");
    process.stdout.write(`panel: ${scripts} bytes of JavaScript, ${style} of CSS, packed\n`);
    expect(scripts).toBeLessThanOrEqual(24 * kilobyte);
    expect(style).toBeLessThanOrEqual(5 * kilobyte);
    expect(manifest["panel/main.tsx"]?.imports ?? []).toEqual([]);
  },
);

test("booking and proof of work come when they are needed", () => {
  const main = readFileSync(join(widgetBuild, manifest["panel/main.tsx"]?.file ?? ""), "utf8");
  expect(main).not.toContain("/bookings");
  expect(main).not.toContain("maxnumber");
});
