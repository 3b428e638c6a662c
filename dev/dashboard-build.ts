import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { hashSources, listFiles } from "../core/source-hash.ts";
import { localPath, repositoryRoot, type Log } from "./local.ts";
import { freshPart, withLock } from "./lock.ts";
import { runCommand, withProgress } from "./run-command.ts";

/** Where the API finds the Dashboard. */
export const dashboardBuild = join(repositoryRoot, "dashboard", "dist");

/** All that a build is made of; where none of it has changed, the build stays. */
const sources = [
  "dashboard/index.html",
  "dashboard/vite.config.ts",
  "dashboard/public",
  "dashboard/src",
  "core/model",
  "docs/receiving-webhooks.md",
  "docs/webhook-test-vectors.json",
  "package-lock.json",
];

/** What becomes smaller by packing; fonts are packed already. */
const packable = new Set([".css", ".js", ".svg"]);

/** Builds the Dashboard unless its sources are those of the last build. */
export async function ensureDashboard(log: Log): Promise<void> {
  const hash = hashSources(repositoryRoot, sources);
  const mark = join(dashboardBuild, "sources");
  const isCurrent = (): boolean => existsSync(mark) && readFileSync(mark, "utf8") === hash;
  if (isCurrent()) return;
  await withLock(localPath("dashboard.lock"), log, async () => {
    if (isCurrent()) return;
    const part = freshPart(dashboardBuild);
    await withProgress(log, "building the Dashboard", async () => await runVite(basename(part)));
    packFiles(part);
    writeFileSync(join(part, "sources"), hash);
    rmSync(dashboardBuild, { recursive: true, force: true });
    renameSync(part, dashboardBuild);
  });
}

/** As a process of its own: React is built for production whatever this one's NODE_ENV says. */
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
