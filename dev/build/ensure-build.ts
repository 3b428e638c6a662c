import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashFile } from "../../cli/staleness.ts";
import { hashSources } from "../../core/source-hash.ts";
import { localPath, repositoryRoot, type Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import { withProgress } from "../run-command.ts";

/** Something that is built into its own folder. */
interface Build {
  /** Absolute path of the finished build. */
  folder: string;
  /** Files and folders below the repository. Without a change of them the build stays. */
  sources: readonly string[];
  /** Name of the lock, and noun in the progress line. */
  name: "dashboard" | "server" | "widget";
  /** Fills an empty folder, which then replaces the old build. */
  fill: (folder: string) => Promise<void>;
}

/** Builds unless the last build came from the same sources. */
export async function ensureBuild({ folder, sources, name, fill }: Build, log: Log): Promise<void> {
  const hash = hashSources(repositoryRoot, sources);
  const mark = join(folder, hashFile);
  const isCurrent = (): boolean => existsSync(mark) && readFileSync(mark, "utf8") === hash;
  if (isCurrent()) return;
  await withLock(localPath(`${name}.lock`), log, async () => {
    if (isCurrent()) return;
    const part = freshPart(folder);
    await withProgress(log, `building the ${name}`, async () => await fill(part));
    writeFileSync(join(part, hashFile), hash);
    // Two renames, since a process that starts meanwhile finds no build in a folder that is being
    // removed.
    const old = `${folder}.part-old`;
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(part, folder);
    rmSync(old, { recursive: true, force: true });
  });
}
