import { setTimeout as sleep } from "node:timers/promises";
import { countUnderWay, readOpenWork } from "./books.ts";
import type { Installation } from "./installation.ts";
import type { FaultLine } from "./ledger.ts";
import type { CallingAccount } from "./accounts.ts";
import { startLoad, type Load } from "./load.ts";
import type { Chance } from "./random.ts";
import type { Supervised } from "./supervised.ts";

/** What a scenario works with. */
export interface Stage {
  installation: Installation;
  chance: Chance;
  /** All callers of the scenario. */
  loads: Load[];
  /** Calls a second that the machine is trusted with. */
  perSecond: number;
  /** For how long the scenario goes on before all is healed. */
  seconds: number;
  /** How many events a backlog is made of. */
  events: number;
  faults: FaultLine[];
  /** Processes and servers that were killed. */
  kills: number;
  /** What was found wrong beside the invariants. */
  breaches: string[];
  print(line: string): void;
}

/** Which attempts a fault makes go once more: none, those under way at its begin, or all while it lasts. */
type Harm = "none" | "moment" | "span";

/** After that a killed worker's work has come back: its tasks take 15 and 20 s, its claims 30 s. */
const recoverMs = 45_000;

/** Injects a fault and writes it down: `inject` returns when the fault is over. */
export async function injectFault(
  stage: Stage,
  name: string,
  harm: Harm,
  inject: () => Promise<void>,
): Promise<void> {
  const { installation, faults } = stage;
  const lookedAt = performance.now();
  const underWay = harm === "none" ? 0 : await countUnderWay(installation);
  const fault: FaultLine = {
    name,
    from: performance.now(),
    to: Infinity,
    calmAt: Infinity,
    inFlight: 0,
  };
  faults.push(fault);
  await inject();
  fault.to = performance.now();
  fault.calmAt = fault.to + recoverMs;
  if (harm === "none") return;
  // Those that were begun after the look had their post arrive after it.
  const until = harm === "span" ? fault.to : Math.min(fault.to, fault.from + 1_000);
  const begun = installation.sink.posts.filter(({ at }) => at >= lookedAt && at <= until);
  fault.inFlight = underWay + begun.length;
}

/** Starts callers of some accounts, or of all, beside those that are at work. */
export function addLoad(
  { installation, chance, loads }: Stage,
  perSecond: number,
  accounts: readonly CallingAccount[] = installation.accounts,
): Load {
  const urls = installation.apis.map(({ url }) => url);
  const load = startLoad({
    urls,
    accounts,
    perSecond,
    chance: chance.fork(`load ${loads.length}`),
  });
  loads.push(load);
  return load;
}

/** Kills a process of ours for good. */
export async function killProcess(stage: Stage, one: Supervised): Promise<void> {
  const harm = one.name.startsWith("worker") ? "moment" : "none";
  await injectFault(stage, `kill ${one.name}`, harm, async () => {
    await one.kill();
    stage.kills += 1;
  });
}

/** Writes down what should have been otherwise. */
export function check(stage: Stage, holds: boolean, otherwise: string): void {
  if (!holds) stage.breaches.push(otherwise);
}

/** What was wrong of these; all is well where nothing was. */
export function checkNone(stage: Stage, wrong: readonly string[], what: string): void {
  check(stage, wrong.length === 0, `${what}: ${wrong.length}, such as ${wrong[0]}`);
}

/** Waits until something is so. @returns the milliseconds it took, or null after the limit. */
export async function untilTrue(
  isSo: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<number | null> {
  const started = performance.now();
  for (;;) {
    if (await Promise.resolve(isSo()).catch(() => false)) return performance.now() - started;
    if (performance.now() - started > limitMs) return null;
    await sleep(100);
  }
}

/** Waits for the end of all work. @returns the milliseconds it took, or null after the limit. */
export async function drain(installation: Installation, limitMs: number): Promise<number | null> {
  const isDone = async () => {
    const { deliveries, outbox } = await readOpenWork(installation);
    return deliveries === 0 && outbox === 0;
  };
  return await untilTrue(isDone, limitMs);
}
