import { readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { listFiles } from "../../core/source-hash.ts";
import { ensureBuild } from "./ensure-build.ts";
import { repositoryRoot, type Log } from "../local.ts";
import { runCommand } from "../run-command.ts";

/** Folder in which the API finds the Dashboard. */
export const dashboardBuild = join(repositoryRoot, "dashboard", "dist");

/** All inputs of a build. Without a change of these files the build stays. */
export const dashboardSources = [
  "dashboard/index.html",
  "dashboard/vite.config.ts",
  "dashboard/public",
  "dashboard/src",
  "core/model",
  "docs/receiving-webhooks.md",
  "docs/webhook-test-vectors.json",
  "package-lock.json",
];

/** Files that compression makes smaller. Fonts are already compressed. */
const packable = new Set([".css", ".js", ".svg"]);

/** Builds the Dashboard unless its sources are those of the last build. */
export async function ensureDashboard(log: Log): Promise<void> {
  await ensureBuild(
    { name: "dashboard", folder: dashboardBuild, sources: dashboardSources, fill },
    log,
  );
}

async function fill(folder: string): Promise<void> {
  await runVite(basename(folder));
  packFiles(folder);
}

/** Runs Vite in its own process, so that React is built for production whatever our NODE_ENV is. */
async function runVite(outDir: string): Promise<void> {
  const vite = join(repositoryRoot, "node_modules", "vite", "bin", "vite.js");
  const args = ["build", "dashboard", "--outDir", outDir, "--logLevel", "warn"];
  await runCommand(process.execPath, [vite, ...args], {
    cwd: repositoryRoot,
    env: { ...process.env, NODE_ENV: "production" },
  });
}

function packFiles(folder: string): void {
  for (const path of listFiles(folder)) {
    if (!packable.has(extname(path))) continue;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
}
