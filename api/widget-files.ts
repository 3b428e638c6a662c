import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WidgetLocale } from "../core/model/widget.ts";

const buildFolder = fileURLToPath(new URL("../widget/dist", import.meta.url));

const types: Record<string, string> = { ".css": "text/css", ".js": "text/javascript" };

/** A file of the panel, whose name changes with its content. */
export interface WidgetAsset {
  name: string;
  type: string;
  bytes: Buffer;
  gzip: Buffer;
}

/** The built web chat. */
export interface WidgetFiles {
  /** Script of the launcher, without its settings. */
  loader: string;
  assets: WidgetAsset[];
  /** Addresses of the panel's first script and of its style. */
  script: string;
  style: string;
  /** Addresses of the panel's words. */
  words: Record<WidgetLocale, string>;
}

interface Chunk {
  file: string;
  isEntry?: boolean;
}

/** Reads the build. @returns null where there is none */
export function readWidgetFiles(): WidgetFiles | null {
  const manifestPath = join(buildFolder, ".vite", "manifest.json");
  if (!existsSync(manifestPath)) return null;
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as Record<string, Chunk>;
  const chunks = Object.values(manifest);
  const script = chunks.find(({ isEntry }) => isEntry)?.file ?? "";
  const style = chunks.find(({ file }) => file.endsWith(".css"))?.file ?? "";
  const names = readdirSync(join(buildFolder, "assets")).filter((name) => !name.endsWith(".gz"));
  return {
    loader: readFileSync(join(buildFolder, "loader.js"), "utf8"),
    assets: names.map((name) => readAsset(name)),
    script: `/widget/${script}`,
    style: `/widget/${style}`,
    words: {
      en: `/widget/${manifest["panel/locales/en.ts"]?.file}`,
      es: `/widget/${manifest["panel/locales/es.ts"]?.file}`,
      pt: `/widget/${manifest["panel/locales/pt.ts"]?.file}`,
    },
  };
}

function readAsset(name: string): WidgetAsset {
  const path = join(buildFolder, "assets", name);
  return {
    name,
    type: types[extname(name)] ?? "application/octet-stream",
    bytes: readFileSync(path),
    gzip: readFileSync(`${path}.gz`),
  };
}
