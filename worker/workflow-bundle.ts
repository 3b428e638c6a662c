import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from "@temporalio/worker";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".local", "workflows");

/** The workflows, all that they may import, and the versions of what bundles them. */
const sources = ["workflows", "core/model", "package-lock.json"];

/**
 * The workflows as Temporal's sandbox takes them. To bundle them costs two seconds of a core, at each
 * start of a worker, so a bundle is kept below `.local/` for as long as its sources are the same.
 */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  const name = `${await hashSources()}.js`;
  const kept = await readFile(join(folder, name), "utf8").catch(() => null);
  if (kept !== null) return { code: kept };
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(root, "workflows", "index.ts"),
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

async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of (await Promise.all(sources.map(listFiles))).flat()) {
    hash.update(`${path}\n`).update(await readFile(join(root, path)));
  }
  return hash.digest("hex");
}

/** The files of a folder, below it too, in a fixed order; a file is itself. */
async function listFiles(path: string): Promise<string[]> {
  if (path.includes(".")) return [path];
  const entries = await readdir(join(root, path), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(root.length)).toSorted();
}
