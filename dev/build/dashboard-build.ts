import { basename, join } from "node:path";
import { ensureBuild } from "./ensure-build.ts";
import { packFiles } from "./pack-files.ts";
import { runVite } from "./run-vite.ts";
import { repositoryRoot, type Log } from "../local.ts";

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

/** Builds the Dashboard unless its sources are those of the last build. */
export async function ensureDashboard(log: Log): Promise<void> {
  await ensureBuild(
    { name: "dashboard", folder: dashboardBuild, sources: dashboardSources, fill },
    log,
  );
}

async function fill(folder: string): Promise<void> {
  await runVite("dashboard", basename(folder));
  packFiles(folder);
}
