import { copyFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { serverSources } from "../../cli/staleness.ts";
import { builtWorkflows, makeWorkflowBundle } from "../../worker/workflow-bundle.ts";
import { ensureBuild } from "./ensure-build.ts";
import { repositoryRoot, type Log } from "../local.ts";

/** The API reads these files from the folder of its code. */
const assets = ["api/booking/page.css", "api/booking/page.js", "api/booking/icon.svg"];

/** Builds `dist/` unless its sources are those of the last build. */
export async function ensureServer(log: Log): Promise<void> {
  const folder = join(repositoryRoot, "dist");
  await ensureBuild({ name: "server", folder, sources: serverSources, fill: buildServer }, log);
}

/** Builds the `parley` command with the API, the worker, the workflows and the reader of files. */
async function buildServer(folder: string): Promise<void> {
  await bundleCode(folder);
  for (const path of assets) copyFileSync(join(repositoryRoot, path), join(folder, basename(path)));
  const { code } = await makeWorkflowBundle();
  writeFileSync(join(folder, builtWorkflows), code);
}

/**
 * Every chunk lies directly in the folder. So `../` is the repository in a chunk, as it is in
 * `api/`, `core/` and `worker/`.
 */
async function bundleCode(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: repositoryRoot,
    input: {
      cli: "cli/main.ts",
      api: "api/main.ts",
      worker: "worker/main.ts",
      // A process of its own, which `core/imports/reader-process.ts` starts.
      "import-reader": "core/imports/reader-main.ts",
    },
    platform: "node",
    tsconfig: "tsconfig.json",
    transform: { target: "node20.19" },
    external: isPackage,
    // An import that cannot be resolved is an error. Otherwise it would silently become an external
    // package.
    onLog(level, log, handle) {
      handle(level === "warn" ? "error" : level, log);
    },
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    sourcemap: true,
    // Stack traces need positions only.
    sourcemapExcludeSources: true,
    // TypeORM and logs read the names of classes and functions.
    keepNames: true,
  });
  await build.close();
}

/**
 * Packages stay in `node_modules`, except the compiler's own helpers, which no package.json lists.
 */
function isPackage(id: string): boolean {
  return /^[^./]/.test(id) && !id.startsWith("@oxc-project/runtime");
}
