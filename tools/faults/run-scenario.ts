import { messageOf } from "../../core/errors.ts";
import {
  countConnections,
  describeOpenDeliveries,
  readResources,
  readStoredBook,
} from "./books.ts";
import { createInstallation, poolSize, type Installation, type Shape } from "./installation.ts";
import { judgeLedger } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { countBusyMs, watchMachine } from "./machine.ts";
import { countAllowedRepeats, countCalmMs, countRepeats } from "./post-invariants.ts";
import { createChance } from "./random.ts";
import { answer, failFirst } from "./sink.ts";
import {
  addLoad,
  check,
  checkNone,
  drain,
  untilTrue,
  type ScenarioContext,
} from "./scenario-context.ts";

/** A row of the plan: an installation under load, faults, and checks besides I1 to I10. */
export interface Scenario {
  id: string;
  title: string;
  /** Default duration of the load in seconds. */
  seconds: number;
  /** Share of the requested calls per second. 0: the scenario makes its own calls. */
  share: number;
  shape?: Partial<Shape>;
  /** Limit in ms for the end of all work after the faults. Time without idle CPU does not count. */
  drainMs?: number;
  /** True where a process may end by itself. Its supervisor then starts it again. */
  mayEnd?: true;
  /** Starts helpers whose settings the processes need before their start. */
  prepare?(): Promise<{ settings: Record<string, string>; stop(): Promise<void> }>;
  run(stage: ScenarioContext): Promise<void>;
}

/** Options for all scenarios. */
export interface RunOptions {
  seed: number;
  mode: "workflow" | "adaptive";
  /** Duration of the load; null for the default of each scenario. */
  seconds: number | null;
  perSecond: number;
  events: number;
  print(this: void, line: string): void;
}

/** Result of a scenario. */
export interface Verdict {
  id: string;
  mode: string;
  accepted: number;
  unknown: number;
  delivered: number;
  discarded: number;
  /** Number of deliveries whose first attempt the relay made, without a workflow. */
  byRelay: number;
  kills: number;
  repeatsAllowed: number;
  repeatsSeen: number;
  /**
   * Time in ms in which lateness was checked: without faults, their aftermath, and a busy machine.
   */
  calmMs: number;
  totalMs: number;
  /**
   * Time in ms from the end of the load to the end of the last delivery; null where it did not end.
   */
  drainMs: number | null;
  /** Empty where every check passed. */
  breaches: string[];
}

const defaultShape: Shape = {
  apis: 1,
  workers: 2,
  accounts: 3,
  subscriptions: [
    { account: 0, name: "all", events: ["*"] },
    { account: 1, name: "created", events: ["contact.created"] },
    { account: 1, name: "flaky", events: ["contact.updated"] },
    { account: 2, name: "contacts", events: ["contact.*"] },
    { account: 2, name: "dead", events: ["contact.updated"] },
  ],
  waitsMs: [500, 800, 1_100, 1_400, 1_700, 2_000],
};
const defaultDrainMs = 120_000;
/** Limit on a machine of any load. */
const longestDrainMs = 300_000;

/** Runs a scenario on its own installation and checks the books. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Verdict> {
  const chance = createChance(options.seed).fork(scenario.id);
  const shape = { ...defaultShape, ...scenario.shape };
  const prepared = await scenario.prepare?.();
  shape.settings = { ...shape.settings, ...prepared?.settings, FIRST_ATTEMPT: options.mode };
  try {
    const installation = await createInstallation(scenario.id, shape, chance.fork("proxies").next);
    try {
      return await play(scenario, installation, options);
    } finally {
      await installation.stop();
    }
  } finally {
    await prepared?.stop();
  }
}

async function play(
  scenario: Scenario,
  installation: Installation,
  { seed, mode, seconds, perSecond, events, print }: RunOptions,
): Promise<Verdict> {
  const chance = createChance(seed).fork(`${scenario.id} run`);
  await startAll(installation);
  const before = readResources(installation);
  const stage: ScenarioContext = {
    installation,
    chance,
    loads: [],
    perSecond,
    seconds: seconds ?? scenario.seconds,
    events,
    faults: [],
    kills: 0,
    breaches: [],
    print,
  };
  const machine = watchMachine();
  const startedAt = performance.now();
  if (scenario.share > 0) addLoad(stage, perSecond * scenario.share);
  try {
    await scenario.run(stage);
  } finally {
    // A process that does not come back is the defect that a scenario looks for. It is a breach,
    // and the books are checked too.
    await heal(installation).catch((error: unknown) => check(stage, false, messageOf(error)));
    await Promise.all(stage.loads.map(async (load) => await load.stop()));
  }
  const healedAt = performance.now();
  const drainMs = await drain(installation, Math.max(longestDrainMs, scenario.drainMs ?? 0));
  const drainedAt = performance.now();
  const countedMs = drainedAt - healedAt - countBusyMs(machine.busy, healedAt, drainedAt);
  check(
    stage,
    countedMs <= (scenario.drainMs ?? defaultDrainMs),
    `drained only after ${countedMs} ms`,
  );
  if (drainMs === null) await tellOpenDeliveries(stage);
  // A connection to a receiver may stay idle for up to a second.
  await untilTrue(() => countReceiverConnections(installation) === 0, 5_000);
  machine.stop();
  if (scenario.mayEnd === undefined)
    checkNone(stage, listEnds(installation), "ended by themselves");
  const ledger = await closeBooks(stage, before, machine.busy);
  const broken = judgeLedger(ledger).map(({ id, breaches }) => summarize(id, breaches));
  return {
    id: scenario.id,
    mode,
    ...countUp(ledger),
    kills: stage.kills,
    calmMs: countCalmMs(ledger, startedAt, drainedAt),
    totalMs: drainedAt - startedAt,
    drainMs,
    breaches: [...stage.breaches.map((text) => `${scenario.id}: ${text}`), ...broken],
  };
}

/**
 * Records the open deliveries as a breach. A server that stays away leaves only its error message.
 */
async function tellOpenDeliveries(stage: ScenarioContext): Promise<void> {
  const open = await describeOpenDeliveries(stage.installation).catch(messageOf);
  check(stage, false, `not drained, at ${new Date().toISOString()}: ${open}`);
}

function countUp({ calls, deliveries, faults, posts }: Ledger) {
  const called = (outcome: string) => calls.filter((one) => one.outcome === outcome).length;
  const ended = (state: string) => deliveries.filter((one) => one.state === state).length;
  return {
    accepted: called("accepted"),
    unknown: called("unknown"),
    delivered: ended("delivered"),
    discarded: ended("discarded"),
    byRelay: deliveries.filter(({ via }) => via === "relay").length,
    repeatsAllowed: countAllowedRepeats(faults),
    repeatsSeen: countRepeats(posts),
  };
}

/** Starts every process of an installation at the same time. */
async function startAll({ apis, workers, sink, subscriptions }: Installation): Promise<void> {
  for (const { path } of subscriptions) {
    if (path.endsWith("/dead")) sink.behave(path, answer(500));
    if (path.endsWith("/flaky")) sink.behave(path, failFirst(2));
  }
  await Promise.all([...apis, ...workers].map(async (one) => await one.start()));
}

function listEnds({ apis, workers }: Installation): string[] {
  return [...apis, ...workers].flatMap(({ name, ends }) =>
    Array.from({ length: ends() }, () => name),
  );
}

/** Ends every fault and starts every stopped process, so that all work can end from here. */
async function heal(installation: Installation): Promise<void> {
  const { proxies, doorbells, mysql, temporal, apis, workers } = installation;
  proxies.apiMysql.decide(() => "pass");
  proxies.workerMysql.decide(() => "pass");
  for (const proxy of [...Object.values(proxies), ...doorbells]) await proxy.heal();
  await Promise.all([mysql, temporal].map(async (server) => await server.heal()));
  for (const one of [...apis, ...workers]) one.thaw();
  await Promise.all([...apis, ...workers].map(async (one) => await one.start()));
}

async function closeBooks(
  stage: ScenarioContext,
  before: Ledger["resources"]["before"],
  busy: Ledger["busy"],
): Promise<Ledger> {
  const { installation, loads, faults } = stage;
  const { sink, subscriptions, shape, apis, workers } = installation;
  return {
    ...(await readStoredBook(installation)),
    calls: loads.flatMap(({ calls }) => calls),
    answers: loads.flatMap(({ answers }) => answers),
    subscriptions,
    posts: sink.posts,
    faults,
    busy,
    waitsMs: shape.waitsMs,
    resources: {
      before,
      after: readResources(installation),
      poolSize,
      databaseConnections: await countConnections(installation),
      processes: apis.length + workers.length,
      receiverConnections: countReceiverConnections(installation),
    },
  };
}

function countReceiverConnections({ proxies }: Installation): number {
  return proxies.receivers.connections() + proxies.troubled.connections();
}

const mostShown = 5;

function summarize(id: string, breaches: string[]): string {
  const more = breaches.length > mostShown ? ` … and ${breaches.length - mostShown} more` : "";
  return `${id}: ${breaches.slice(0, mostShown).join("; ")}${more}`;
}
