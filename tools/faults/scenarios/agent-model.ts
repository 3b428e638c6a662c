import { setTimeout as sleep } from "node:timers/promises";
import { turnLimitMs } from "../../../core/model/workflow/agent.ts";
import { startAgentTalks, type AgentTalk, type AgentTalks, type TalkBook } from "../agent-talks.ts";
import {
  hangingModel,
  isWaiting,
  startHangingModel,
  textOf,
  type HangingModel,
  type ModelBooking,
} from "../hanging-model.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, killProcess, untilTrue, type ScenarioContext } from "../scenario-context.ts";
import { watchStepHolders, type StepHolders } from "../step-holders.ts";
import { endings, judgeTalk, type Ending } from "../talk-verdict.ts";

/** The model step that the provider does not answer. */
const steps = [
  { name: "before the booking", step: 1 },
  { name: "after the booking", step: 2 },
] as const;
type HeldStep = (typeof steps)[number];

/** Fewer than the eight model calls that an account may have in a process. */
const customers = 4;
const springMs = 60_000;
/** The calls of a dead worker end with it. Its steps are handed out again later than this. */
const lostMs = 5_000;
/** A lost step is handed out again after 10 s without a heartbeat. */
const takeoverMs = 45_000;
/** A pause ends a turn whose step is lost once its heartbeats are missed. */
const pausedMs = 30_000;
/** Longer than everything that is under way at a pause may take. */
const lateMs = 3_000;

/** Everything that a case needs. */
interface Stand {
  stage: ScenarioContext;
  talks: AgentTalks;
  model: HangingModel;
  holders: StepHolders;
  serviceId: number;
}

/** Two workers: the one that holds a step dies, and stays down until the case is over. */
const hangs: Scenario = {
  id: "F28",
  title: "a worker dies while turns of the agent wait at a model that hangs, and another one lives",
  seconds: 0,
  share: 0.1,
  shape: {
    workers: 2,
    accounts: 1,
    subscriptions: [],
    settings: { MODEL_ALLOW_PRIVATE_TARGETS: "true" },
  },
  async run(stage) {
    const model = await startHangingModel();
    const talks = await startAgentTalks(stage.installation);
    const holders = await watchStepHolders(stage.installation);
    try {
      const stand = { stage, talks, model, holders, serviceId: await talks.findServiceId() };
      stage.print(
        "| provider | hangs | lost steps | outcomes | appointments | replies | longest turn | paused in | closed in |",
      );
      const cases = endings.flatMap((ending) => steps.map((held) => ({ ending, held })));
      for (const [index, { ending, held }] of cases.entries())
        await playCase(stand, { ending, held, index });
    } finally {
      await holders.stop();
      await talks.stop();
      await model.stop();
    }
  },
};

/** Times of one case, each with a doctor and a time of its own for every customer. */
function bookingsOf(serviceId: number, index: number): ModelBooking[] {
  const day = new Date(Date.now() + 7 * 86_400_000);
  for (let left = index; left > 0 || isWeekend(day); day.setUTCDate(day.getUTCDate() + 1))
    left -= isWeekend(day) ? 0 : 1;
  return Array.from({ length: customers }, (_, place) => ({
    serviceId,
    day: day.toISOString().slice(0, 10),
    time: `${String(9 + place).padStart(2, "0")}:00`,
  }));
}

function isWeekend(day: Date): boolean {
  return day.getUTCDay() % 6 === 0;
}

interface Case {
  ending: Ending;
  held: HeldStep;
  index: number;
}

/** Customers whose turns wait at the model, one of whose workers dies. */
async function playCase(stand: Stand, { ending, held, index }: Case): Promise<void> {
  const { stage, talks, model, serviceId } = stand;
  const name = `${ending}, ${held.name}`;
  await talks.serveBy(model.url, hangingModel);
  model.hold(held.step);
  const texts = bookingsOf(serviceId, index).map(textOf);
  const open = await Promise.all(texts.map(async (text) => await talks.open(text)));
  await awaitHung(stand, springMs, `${name}: the turns never waited at the model`);
  const lost = await killHolder(stand, open);
  check(stage, lost > 0, `${name}: no worker held the first step`);
  const pauses = await meet(stand, { ending, name, open });
  const isOver = await awaitEnds(stand, open);
  check(stage, isOver, `${name}: a turn never ended`);
  const pausedIn = pauses === null || !isOver ? null : Date.now() - pauses.at;
  await sleep(lateMs);
  const books = await readAll(talks, open);
  model.release();
  for (const [place, after] of books.entries()) {
    const at = pauses?.books[place] ?? null;
    const breaches = judgeTalk({ ending, heldStep: held.step, atPause: at, after });
    stage.breaches.push(...breaches.map((breach) => `${name}: ${breach}`));
  }
  if (pauses !== null) judgeSilence(stand, name, { at: pauses.at, pausedIn });
  stage.print(rowOf({ ending, held, lost, books, pauses, pausedIn }));
  for (const worker of stage.installation.workers) await worker.start();
}

/** Waits until a call of every customer waits at the model. */
async function awaitHung({ stage, model }: Stand, limitMs: number, otherwise: string) {
  const hungMs = await untilTrue(() => model.waiting().length === customers, limitMs);
  check(stage, hungMs !== null, otherwise);
}

/**
 * Kills the worker that holds the first customer's step. Returns once the provider has seen its
 * calls end, so that they are not taken for calls of the other worker.
 * @returns the number of steps that it held; 0 where nothing was killed
 */
async function killHolder(
  { stage, holders, model }: Stand,
  open: readonly AgentTalk[],
): Promise<number> {
  const pids = await Promise.all(
    open.map(async ({ conversationId }) => await holders.find(conversationId)),
  );
  const isHolder = (pid: number | null) => pid !== null && pid === pids[0];
  const { workers } = stage.installation;
  const holder = workers.find((worker) => worker.isRunning() && isHolder(worker.pid()));
  if (holder === undefined) return 0;
  await killProcess(stage, holder);
  const lost = pids.filter(isHolder).length;
  const seenMs = await untilTrue(() => model.waiting().length === customers - lost, lostMs);
  check(stage, seenMs !== null, `calls of the dead ${holder.name} are still open`);
  return lost;
}

/** Pauses of all customers' conversations. */
interface Pauses {
  /** State of each conversation at the commit of its pause. */
  books: TalkBook[];
  /** Time of the last commit in epoch ms. */
  at: number;
  /** Longest time in ms until a call that waited was closed; null where none was. */
  closedMs: number | null;
}

/** Lets the case come to its ending. @returns null where nobody pauses */
async function meet(
  stand: Stand,
  { ending, name, open }: { ending: Ending; name: string; open: readonly AgentTalk[] },
): Promise<Pauses | null> {
  const { model } = stand;
  if (ending === "answers again") model.release();
  if (ending === "answers again" || ending === "hangs on") return null;
  // The dead worker's connections are closed by now, but its steps are not handed out again.
  if (ending === "pause before the takeover") await sleep(1_000);
  else await awaitHung(stand, takeoverMs, `${name}: the other worker never took over`);
  const isRace = ending === "pause beside the answer";
  const waited = model.waiting();
  if (isRace) model.release();
  const books = await Promise.all(
    open.map(async (talk, place) => {
      if (isRace) await sleep(place * 60 + stand.stage.chance.between(0, 60));
      return await talk.pause();
    }),
  );
  const at = Date.now();
  if (isRace) return { books, at, closedMs: null };
  await untilTrue(() => !waited.some(isWaiting), pausedMs);
  const closed = waited.map(({ closedByClientAt }) => closedByClientAt ?? Infinity);
  return { books, at, closedMs: Math.max(0, ...closed.map((moment) => moment - at)) };
}

/** Waits until every turn has ended. @returns false after the limit */
async function awaitEnds({ talks }: Stand, open: readonly AgentTalk[]): Promise<boolean> {
  const haveEnded = async () =>
    (await readAll(talks, open)).every((book) => book.open === 0 && book.outcomes !== null);
  return (await untilTrue(haveEnded, turnLimitMs + pausedMs)) !== null;
}

async function readAll(talks: AgentTalks, open: readonly AgentTalk[]): Promise<TalkBook[]> {
  return await Promise.all(
    open.map(async ({ conversationId }) => await talks.read(conversationId)),
  );
}

/** After a pause the turns end soon, and the provider is asked nothing more. */
function judgeSilence(
  { stage, model }: Stand,
  name: string,
  { at, pausedIn }: { at: number; pausedIn: number | null },
): void {
  check(stage, (pausedIn ?? Infinity) <= pausedMs, `${name}: ended ${pausedIn} ms after the pause`);
  // A step that was about to ask when the pause came may still do so.
  const late = model.requests().filter(({ startedAt }) => startedAt > at + 1_000);
  check(stage, late.length === 0, `${name}: the model was asked ${late.length} times after it`);
}

function rowOf(given: {
  ending: Ending;
  held: HeldStep;
  lost: number;
  books: readonly TalkBook[];
  pauses: Pauses | null;
  pausedIn: number | null;
}): string {
  const { ending, held, lost, books, pauses, pausedIn } = given;
  const outcomes = [...new Set(books.map((book) => book.outcomes))].map(
    (outcome) => `${books.filter((book) => book.outcomes === outcome).length} ${outcome}`,
  );
  const sum = (field: "appointments" | "replies") =>
    books.reduce((total, book) => total + book[field], 0);
  const longest = Math.max(...books.map(({ turnMs }) => turnMs ?? Infinity));
  const cells = [
    ending,
    held.name,
    lost,
    outcomes.join(", "),
    sum("appointments"),
    sum("replies"),
    inSeconds(longest),
    inSeconds(pausedIn),
    inSeconds(pauses?.closedMs ?? null),
  ];
  return `| ${cells.join(" | ")} |`;
}

function inSeconds(ms: number | null): string {
  return ms === null ? "" : `${(ms / 1_000).toFixed(1)} s`;
}

export const agentModelScenarios: readonly Scenario[] = [hangs];
