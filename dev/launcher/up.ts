import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import { describeStart } from "./announce.ts";
import { bringUp } from "./bring-up.ts";
import { partLog } from "../local.ts";
import { createParts } from "./parts.ts";
import { readTail } from "./processes.ts";
import type { ServerPart } from "./find-servers.ts";
import {
  checkStandIns,
  parseUpCommand,
  readUpSettings,
  upHelp,
  UsageError,
} from "./up-settings.ts";

/**
 * Time in ms within which two signals count as one: npm forwards a Ctrl-C that the terminal has
 * also sent.
 */
const sameSignalMs = 500;
/** Time in ms for which a stop waits for the running step of the start. */
const stepTimeoutMs = 6_000;
const parentCheckMs = 250;

const startedAt = Date.now();
const log = partLog("parley");
const parts = createParts();
const stop = new AbortController();
let stopRequestedAt: number | null = null;

async function main(): Promise<void> {
  const { help, standIns } = parseUpCommand(process.argv.slice(2));
  if (help) return console.log(upHelp);
  const settings = readUpSettings(process.env);
  if (standIns) checkStandIns(settings);
  const folder = resolve(settings.PARLEY_STATE_DIR);
  // A closed terminal must not end this process before the parts are stopped.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const start = bringUp({ settings, standIns, folder, parts, stop: stop.signal, onServerEnd });
  const onStop = (): void => void stopOnce(start.then(nothing, nothing));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onStop);
  watchNpm(onStop);
  try {
    const { state, namespace } = await start;
    console.log(describeStart(state, namespace, folder));
    log(`ready in ${secondsSince(startedAt)} s; Ctrl-C stops everything`);
  } catch (error) {
    if (stop.signal.aborted) return;
    log(messageOf(error));
    await end(1);
  }
}

/** The first call stops everything; a later call kills everything. */
async function stopOnce(startSettled: Promise<void>): Promise<void> {
  if (stopRequestedAt !== null) {
    if (Date.now() - stopRequestedAt < sameSignalMs) return;
    log("killing everything");
    parts.killAll();
    process.exit(1);
  }
  stopRequestedAt = Date.now();
  log("stopping; once more kills at once …");
  stop.abort(new Error("The start was interrupted."));
  await Promise.race([startSettled, sleep(stepTimeoutMs)]);
  await end(0);
}

/**
 * Detects the end of npm's shell. npm runs us in a shell, and a signal for npm alone ends that
 * shell and never reaches us.
 */
function watchNpm(onGone: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    if (stopRequestedAt === null) onGone();
  }, parentCheckMs);
}

function onServerEnd({ name, logFile }: ServerPart): void {
  if (stop.signal.aborted) return;
  log(`${name} ended unexpectedly, so everything stops`);
  for (const line of readTail(logFile)) log(`  ${line}`);
  void end(1);
}

/** Stops all that runs, in order, and ends this process. */
async function end(code: number): Promise<void> {
  stop.abort(new Error("Everything stops."));
  const since = stopRequestedAt ?? Date.now();
  const count = await parts.stopAll(since);
  if (count > 0) log(`stopped in ${secondsSince(since)} s; all state is kept`);
  process.exit(code);
}

function secondsSince(moment: number): string {
  return ((Date.now() - moment) / 1_000).toFixed(1);
}

function nothing(): void {
  // The caller of the start handles its outcome.
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  if (error instanceof UsageError) console.error("npm start -- --help says what can be set.");
  process.exit(error instanceof UsageError ? 2 : 1);
});
