import { setTimeout as sleep } from "node:timers/promises";
import { countUnderWay, readOpenWork } from "./books.ts";
import type { Installation } from "./installation.ts";
import type { FaultLine } from "./ledger.ts";
import type { CallingAccount } from "./accounts.ts";
import { startLoad, type Load } from "./load.ts";
import type { Chance } from "./random.ts";
import type { Supervised } from "./supervised.ts";

/** Context of a scenario. */
export interface ScenarioContext {
  installation: Installation;
  chance: Chance;
  /** All loads of the scenario. */
  loads: Load[];
  /** Calls per second that the machine can handle. */
  perSecond: number;
  /** Duration of the scenario in seconds, before all faults are healed. */
  seconds: number;
  /** Number of events in a backlog. */
  events: number;
  faults: FaultLine[];
  /** Number of killed processes and servers. */
  kills: number;
  /** Failures of checks besides the invariants. */
  breaches: string[];
  print(line: string): void;
}

/** Attempts that a fault may repeat: none, those open at its beginning, or all during it. */
type Harm = "none" | "moment" | "span";

/**
 * Time in ms after which a killed worker's work is taken over: its tasks after 15 and 20 s, its
 * claims after 30 s.
 */
const recoverMs = 45_000;

/** Injects a fault and records it. `inject` returns when the fault is over. */
export async function injectFault(
  stage: ScenarioContext,
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
  // Attempts that began after the count have posts that arrived after it.
  const until = harm === "span" ? fault.to : Math.min(fault.to, fault.from + 1_000);
  const begun = installation.sink.posts.filter(({ at }) => at >= lookedAt && at <= until);
  fault.inFlight = underWay + begun.length;
}

/** Starts a load for some accounts, or for all, in addition to the running ones. */
export function addLoad(
  { installation, chance, loads }: ScenarioContext,
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

/** Kills a process of ours. Its supervisor does not start it again. */
export async function killProcess(stage: ScenarioContext, one: Supervised): Promise<void> {
  const harm = one.name.startsWith("worker") ? "moment" : "none";
  await injectFault(stage, `kill ${one.name}`, harm, async () => {
    await one.kill();
    stage.kills += 1;
  });
}

/** Records a breach where `holds` is false. */
export function check(stage: ScenarioContext, holds: boolean, otherwise: string): void {
  if (!holds) stage.breaches.push(otherwise);
}

/** Records a breach where `wrong` is not empty. */
export function checkNone(stage: ScenarioContext, wrong: readonly string[], what: string): void {
  check(stage, wrong.length === 0, `${what}: ${wrong.length}, such as ${wrong[0]}`);
}

/**
 * Waits until a condition is true.
 * @returns the waiting time in ms, or null after the limit
 */
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

/** Waits for the end of all work. @returns the waiting time in ms, or null after the limit */
export async function drain(installation: Installation, limitMs: number): Promise<number | null> {
  const isDone = async () => {
    const { deliveries, outbox } = await readOpenWork(installation);
    return deliveries === 0 && outbox === 0;
  };
  return await untilTrue(isDone, limitMs);
}
