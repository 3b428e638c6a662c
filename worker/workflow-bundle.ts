import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from "@temporalio/worker";
import { hashSources } from "../core/source-hash.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".local", "workflows");

/** The workflows, all that they may import, and what bundles them. */
const sources = ["workflows", "core/model", "worker/workflow-bundle.ts", "package-lock.json"];
const workflowsPath = join(root, "workflows", "index.ts");

/**
 * The workflows as Temporal's sandbox takes them. To bundle them costs two seconds of a core, at each
 * start of a worker, so a bundle is kept below `.local/` for as long as its sources are the same.
 */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  const name = `${hashSources(root, sources)}.js`;
  const kept = await readFile(join(folder, name), "utf8").catch(() => null);
  if (kept !== null) return { code: kept };
  const bundle = await bundleWorkflowCode({
    workflowsPath,
    // Loaded once for all runs, which share them: none keeps anything of a run outside of its functions.
    preloadModules: [workflowsPath],
    logger: new DefaultLogger("WARN"),
  });
  // Where nothing can be written, as in a read-only image, the next start bundles again.
  await keep(name, bundle.code).catch(() => undefined);
  return bundle;
}

/** Another worker that starts now reads the whole file or none. */
async function keep(name: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const part = join(folder, `${name}.${process.pid}.part`);
  await writeFile(part, code);
  await rename(part, join(folder, name));
  const others = (await readdir(folder)).filter((one) => one.endsWith(".js") && one !== name);
  await Promise.all(others.map(async (one) => await rm(join(folder, one), { force: true })));
}
