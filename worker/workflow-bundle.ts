import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from "@temporalio/worker";
import { hashSources } from "../core/source-hash.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".local", "workflows");

/** The workflows, their possible imports, and the sources of the bundler. */
const sources = ["workflows", "core/model", "worker/workflow-bundle.ts", "package-lock.json"];
const workflowsPath = join(root, "workflows", "index.ts");

/** `npm run build` writes the bundle under this name beside the built worker. */
export const builtWorkflows = "temporal-workflows.js";

/**
 * Reads the bundle of the build. A worker that runs from its sources bundles the workflows itself.
 */
export async function loadWorkflows(): Promise<WorkflowBundle> {
  const built = new URL(builtWorkflows, import.meta.url);
  const code = await readFile(built, "utf8").catch(() => null);
  return code === null ? await bundleWorkflows() : { code };
}

/**
 * The workflows in the form that Temporal's sandbox takes. Bundling costs two seconds of a core at
 * each start of a worker. So a bundle is cached below `.local/` while its sources stay the same.
 */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  const name = `${hashSources(root, sources)}.js`;
  const kept = await readFile(join(folder, name), "utf8").catch(() => null);
  if (kept !== null) return { code: kept };
  const bundle = await makeWorkflowBundle();
  // If the folder is read-only, as in an image, the next start bundles again.
  await keep(name, bundle.code).catch(() => undefined);
  return bundle;
}

/** Bundles the workflows. The result names no folder of this machine. */
export async function makeWorkflowBundle(): Promise<WorkflowBundle> {
  return await bundleWorkflowCode({
    workflowsPath,
    // Loaded once and shared by all runs. No workflow keeps state of a run outside its functions.
    preloadModules: [workflowsPath],
    logger: new DefaultLogger("WARN"),
    webpackConfigHook: (config) => ({
      ...config,
      context: root,
      // Stack traces need positions only.
      devtool: "inline-nosources-source-map",
      output: { ...config.output, devtoolModuleFilenameTemplate: relativePath },
    }),
  });
}

/** Webpack would name an omitted module by its absolute path. */
function relativePath({ resourcePath }: { resourcePath: string }): string {
  return resourcePath.replace(root, "./");
}

/** Writes to a part file first: another worker that starts now reads the whole file or none. */
async function keep(name: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const part = join(folder, `${name}.${process.pid}.part`);
  await writeFile(part, code);
  await rename(part, join(folder, name));
  const others = (await readdir(folder)).filter((one) => one.endsWith(".js") && one !== name);
  await Promise.all(others.map(async (one) => await rm(join(folder, one), { force: true })));
}
