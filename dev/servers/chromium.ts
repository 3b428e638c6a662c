import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { messageOf } from "../../core/errors.ts";
import { canUnpackPackages, unpackedLibraries, unpackPackages } from "./apt-packages.ts";
import { localPath, repositoryRoot, type Log } from "../local.ts";
import { withLock } from "../lock.ts";
import { findExecutable, isExecutable, runCommand, withProgress } from "../run-command.ts";

/** A Chromium: path of the program, further environment variables, and its origin, for people. */
export type ChromiumProgram = { path: string; env: Record<string, string>; source: string };

/** Folder below `.local/` for the distribution's package. */
const UNPACKED = "chromium-dist";

/** The headless shell is tried first: tests use a third less CPU time with it. */
const PACKAGES = ["chromium-headless-shell", "chromium"];

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** Folders of the vendor's installer, where it is not on PATH. */
const USUAL_FOLDERS = ["/Applications/Google Chrome.app/Contents/MacOS"];

/**
 * Finds a Chromium for tests that starts. In order: `CHROMIUM_PATH`, an installed Chromium or
 * Chrome, Playwright's own download, or the distribution's package below `.local/`.
 * @throws Error that names every way to get a Chromium, when none works
 */
export async function findChromium(log: Log): Promise<ChromiumProgram> {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined) return await checked({ path: given, env: {}, source: "CHROMIUM_PATH" });
  const failures: string[] = [];
  for (const way of [findInstalled, usePlaywright, unpackChromium]) {
    try {
      const found = await way(log);
      if (found !== null) return await checked(found);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new Error(describeFailure(failures));
}

/**
 * Checks that the program starts. A program may lack a library, or only advise to install a snap.
 */
async function checked(program: ChromiumProgram): Promise<ChromiumProgram> {
  const env = { ...process.env, ...program.env };
  const said = await runCommand(program.path, ["--version"], { env, timeoutMs: 20_000 });
  const version = /Chrom\S* (?:for Testing )?(\d[\d.]+)/.exec(said)?.[1];
  if (version === undefined) throw new Error(`${program.path} is no Chromium`);
  return { ...program, source: `Chromium ${version}, ${program.source}` };
}

async function findInstalled(): Promise<ChromiumProgram | null> {
  for (const name of [...NAMES, "Google Chrome"]) {
    const path = findExecutable(name, USUAL_FOLDERS);
    if (path !== null) return { path, env: {}, source: path };
  }
  return null;
}

async function usePlaywright(log: Log): Promise<ChromiumProgram | null> {
  const path = chromium.executablePath();
  if (!isExecutable(path) && existsSync(localPath(UNPACKED))) return null;
  await withLock(localPath("playwright.lock"), log, async () => {
    if (isExecutable(path)) return;
    const cli = join(repositoryRoot, "node_modules", "playwright-core", "cli.js");
    await withProgress(log, "asking Playwright for its Chromium", async () => {
      await runCommand(process.execPath, [cli, "install", "--no-shell", "chromium"]);
    });
  });
  return { path, env: {}, source: "Playwright's" };
}

/**
 * Chromium's processes start each other by `/proc/self/exe`, so it cannot run through its own
 * loader as MySQL does. So the package is of this release and runs with the system's loader.
 */
async function unpackChromium(log: Log): Promise<ChromiumProgram | null> {
  if (!canUnpackPackages()) return null;
  const root = await unpackPackages({ name: UNPACKED, packages: PACKAGES, suite: "own", log });
  const env = {
    LD_LIBRARY_PATH: unpackedLibraries(root).join(":"),
    FONTCONFIG_SYSROOT: root,
  };
  const path = PACKAGES.map((name) => join(root, "usr/lib/chromium", name)).find(isExecutable);
  if (path === undefined) throw new Error(`${root} holds no Chromium; delete it and try again.`);
  return { path, env, source: "unpacked under .local" };
}

function describeFailure(failures: string[]): string {
  const ways = [
    "set CHROMIUM_PATH to a Chromium or Chrome",
    "install Chromium or Chrome",
    "allow downloads from cdn.playwright.dev",
    "use Debian with its package mirror in reach",
  ];
  const why = failures.map((failure) => `\n  tried: ${failure}`).join("");
  return `No Chromium was found. Any of these helps: ${ways.join("; ")}.${why}`;
}
