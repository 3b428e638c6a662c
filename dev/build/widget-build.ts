import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { ensureBuild } from "./ensure-build.ts";
import { packFiles } from "./pack-files.ts";
import { runVite } from "./run-vite.ts";
import { repositoryRoot, type Log } from "../local.ts";

/** Folder in which the API finds the files of the web chat. */
export const widgetBuild = join(repositoryRoot, "widget", "dist");

/** All inputs of a build. Without a change of these files the build stays. */
export const widgetSources = [
  "widget/loader",
  "widget/panel",
  "widget/shared",
  "widget/vite.config.ts",
  "core/model",
  "dev/build/widget-build.ts",
  "package-lock.json",
];

/** Builds the loader and the panel of the web chat, unless their sources are those of the last build. */
export async function ensureWidget(log: Log): Promise<void> {
  await ensureBuild({ name: "widget", folder: widgetBuild, sources: widgetSources, fill }, log);
}

async function fill(folder: string): Promise<void> {
  await runVite("widget", basename(folder));
  await bundleLoader(folder);
  packFiles(folder);
}

/** The loader is one plain script, since a site loads it with `async` and without `type=module`. */
async function bundleLoader(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: repositoryRoot,
    input: "widget/loader/main.ts",
    platform: "browser",
    tsconfig: "widget/tsconfig.json",
    transform: { target: "es2022" },
  });
  await build.write({ file: join(folder, "loader.js"), format: "iife", minify: true });
  await build.close();
}
