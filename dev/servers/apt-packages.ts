import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDistribution, type Suite } from "./distribution.ts";
import { localPath, type Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import { findExecutable, runCommand, withProgress } from "../run-command.ts";

export type UnpackOptions = {
  /** Folder name below `.local/`. */
  name: string;
  /**
   * Packages to try in turn. The first package that the distribution has is taken, with its
   * dependencies.
   */
  packages: string[];
  suite: Suite;
  log: Log;
};

/**
 * Fetches a package of this Debian or Ubuntu with all its dependencies, down to libc. It is
 * unpacked below `.local/` and not installed: no root, nothing outside that folder. apt checks
 * signatures and checksums. The work is done once; concurrent processes get the same folder.
 * @returns the folder that holds `usr/`
 * @throws Error without apt, or when the packages cannot be fetched
 */
export async function unpackPackages(options: UnpackOptions): Promise<string> {
  const { name, log } = options;
  const root = localPath(name);
  if (existsSync(root)) return root;
  return await withLock(localPath(`${name}.lock`), log, async () => {
    if (existsSync(root)) return root;
    const work = freshPart(root);
    try {
      await fetchAndUnpack(work, options);
      renameSync(join(work, "root"), root);
      return root;
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

/** @returns true where this system can run `unpackPackages`. */
export function canUnpackPackages(): boolean {
  return readDistribution() !== null && findExecutable("apt-get") !== null;
}

/** Library folders of an unpacked folder, including subfolders for a single program. */
export function unpackedLibraries(root: string): string[] {
  const folders = ["usr/lib", "lib"]
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap(listFolders)
    .filter((folder) => /-linux-gnu[^/]*$/.test(folder));
  return [...folders, ...folders.flatMap(listFolders)].filter((folder) =>
    readdirSync(folder).some((name) => /^lib.*\.so(\.|$)/.test(name)),
  );
}

function listFolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

/** Command that runs a program of an unpacked folder with its own loader and its own libraries. */
export function unpackedCommand(root: string, program: string): string[] {
  const libraries = join(root, "usr", "lib");
  const folder = readdirSync(libraries).find((name) => /-linux-gnu/.test(name)) ?? "";
  const loader = readdirSync(join(libraries, folder)).find((name) => /^ld-linux.*\.so/.test(name));
  if (loader === undefined)
    throw new Error(`${root} holds no loader; delete the folder and try again.`);
  const path = join(libraries, folder);
  return [join(path, loader), "--library-path", path, join(root, program)];
}

async function fetchAndUnpack(
  work: string,
  { packages, suite, log }: UnpackOptions,
): Promise<void> {
  const config = writeConfig(work, suite);
  const apt = async (...args: string[]): Promise<string> => {
    return await runCommand("apt-get", ["-q", "-c", config, ...args], { cwd: work });
  };
  await withProgress(log, "reading the list of packages", async () => await apt("update"));
  const name = await firstAvailable(packages, async (one) => {
    return await apt("install", "--print-uris", ...INSTALL, one);
  });
  const archives = join(work, "cache", "archives");
  const size = `${name.count} packages (${Math.ceil(name.bytes / 1_000_000)} MB)`;
  await withProgress(log, `fetching ${size}`, async () => {
    await apt("install", "--download-only", ...INSTALL, name.package);
  });
  log("unpacking …");
  for (const file of readdirSync(archives).filter((one) => one.endsWith(".deb"))) {
    await runCommand("dpkg-deb", ["-x", join(archives, file), join(work, "root")]);
  }
}

const INSTALL = ["--yes", "--no-install-recommends"];

async function firstAvailable(
  packages: string[],
  listUris: (name: string) => Promise<string>,
): Promise<{ package: string; count: number; bytes: number }> {
  let failure: unknown;
  for (const name of packages) {
    try {
      const lines = (await listUris(name)).matchAll(/^'[^']+' \S+ (\d+) /gm);
      const sizes = Array.from(lines, (line) => Number(line[1]));
      return {
        package: name,
        count: sizes.length,
        bytes: sizes.reduce((sum, one) => sum + one, 0),
      };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Writes a private apt configuration. Its state says that nothing is installed, so apt lists every
 * dependency.
 */
function writeConfig(work: string, suite: Suite): string {
  const distribution = readDistribution();
  if (distribution === null) throw new Error("this is neither Debian nor Ubuntu");
  const folders = ["root", "state/lists/partial", "cache/archives/partial", "dpkg/updates"];
  for (const folder of folders) mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, "dpkg", "status"), "");
  const { sources, keyring } = distribution;
  const source = sources[suite].replaceAll("deb ", `deb [signed-by=${keyring}] `);
  writeFileSync(join(work, "sources.list"), source);
  const settings = {
    "Dir::Etc::sourcelist": join(work, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferences": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::State": join(work, "state"),
    "Dir::State::status": join(work, "dpkg", "status"),
    "Dir::Cache": join(work, "cache"),
    "APT::Sandbox::User": "",
    "APT::Get::AllowUnauthenticated": "false",
    "Acquire::AllowInsecureRepositories": "false",
    "Acquire::Languages": "none",
    "Acquire::Retries": "2",
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} "${value}";`);
  // Hooks of the system's apt act on the system's packages, so they are cleared.
  const hooks = [
    "APT::Update::Pre-Invoke",
    "APT::Update::Post-Invoke",
    "APT::Update::Post-Invoke-Success",
  ];
  const text = [...lines, ...hooks.map((hook) => `#clear ${hook};`), ""].join("\n");
  writeFileSync(join(work, "apt.conf"), text);
  return join(work, "apt.conf");
}
