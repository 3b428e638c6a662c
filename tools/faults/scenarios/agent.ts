import { setTimeout as sleep } from "node:timers/promises";
import { startAgentTalks, type AgentTalk, type AgentTalks, type TalkBook } from "../agent-talks.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, injectFault, untilTrue, type ScenarioContext } from "../scenario-context.ts";

/** A moment of a turn: while the burst is waited for, or at the COMMIT of a step. */
interface Phase {
  name: string;
  /** Null: a second after the customer wrote. */
  trap: { of: string; when: "before" | "after" } | null;
}

const phases: readonly Phase[] = [
  { name: "debounce", trap: null },
  { name: "turn begun", trap: { of: "INSERT INTO `agent_turns`", when: "after" } },
  { name: "model step", trap: { of: "UPDATE agent_steps s JOIN", when: "before" } },
  { name: "before tool", trap: { of: "INSERT INTO `agent_tool_calls`", when: "before" } },
  { name: "after tool", trap: { of: "INSERT INTO `agent_tool_calls`", when: "after" } },
  { name: "before reply", trap: { of: "UPDATE `agent_tool_calls`", when: "before" } },
  { name: "after reply", trap: { of: "UPDATE `agent_tool_calls`", when: "after" } },
];

/** A way in which a turn is disturbed. `strike` is called at the moment of the phase. */
interface Blow {
  name: string;
  harm: "none" | "moment" | "span";
  strike(stage: ScenarioContext): void;
  /** Returns once the installation is whole again. */
  mend(stage: ScenarioContext): Promise<void>;
}

const blows: readonly Blow[] = [
  {
    name: "kill -9",
    harm: "moment",
    strike(stage) {
      stage.kills += 1;
      for (const worker of stage.installation.workers) process.kill(worker.pid(), "SIGKILL");
    },
    async mend({ installation: { workers } }) {
      // The supervisor starts it again.
      await sleep(1_000);
      for (const worker of workers) await worker.start();
    },
  },
  {
    name: "MySQL away",
    harm: "span",
    strike: ({ installation }) => void installation.proxies.workerMysql.down(),
    async mend({ installation, seconds }) {
      await sleep(seconds * 1_000);
      await installation.proxies.workerMysql.heal();
    },
  },
  {
    name: "Temporal away",
    harm: "span",
    strike: ({ installation }) => void installation.proxies.workerTemporal.down(),
    async mend({ installation, seconds }) {
      await sleep(seconds * 1_000);
      await installation.proxies.workerTemporal.heal();
    },
  },
];

const springMs = 30_000;
/** A killed step is tried again after 20 s, and a lost claim is free after 30 s. */
const settleMs = 120_000;

/** One worker, so that the process behind each COMMIT is known. */
const turns: Scenario = {
  id: "F27",
  title: "the worker dies, MySQL and Temporal go away in each phase of a turn of the agent",
  // Of each absence of MySQL and Temporal.
  seconds: 20,
  share: 0.1,
  shape: { workers: 1, accounts: 1, subscriptions: [] },
  async run(stage) {
    const talks = await startAgentTalks(stage.installation);
    try {
      stage.print("| fault | phase | outcomes | appointments | replies | settled in |");
      for (const blow of blows) {
        for (const phase of phases) await disturb(stage, talks, blow, phase);
      }
    } finally {
      await talks.stop();
    }
  },
};

/** Lets a customer book, and disturbs the turn in which the booking is made. */
async function disturb(
  stage: ScenarioContext,
  talks: AgentTalks,
  blow: Blow,
  phase: Phase,
): Promise<void> {
  const name = `${blow.name}, ${phase.name}`;
  const talk = await talks.open();
  const answered = async (turn: number): Promise<boolean> => {
    const { open, outcomes } = await talks.read(talk.conversationId);
    return open === 0 && (outcomes ?? "").split(",").length >= turn;
  };
  for (const [index, text] of ["la primera", "Ana Torres"].entries()) {
    if ((await untilTrue(() => answered(index + 1), settleMs)) === null) break;
    await talk.say(text);
  }
  if ((await untilTrue(() => answered(3), settleMs)) === null) {
    check(stage, false, `${name}: the talk before the fault did not settle`);
    return;
  }
  const before = await talks.read(talk.conversationId);
  await injectFault(stage, name, blow.harm, async () => await strikeIn(stage, talk, blow, phase));
  const settledMs = await untilTrue(() => answered(4), settleMs);
  const after = await talks.read(talk.conversationId);
  judge(stage, name, { before, after, settledMs });
  const settled = settledMs === null ? "never" : `${(settledMs / 1_000).toFixed(1)} s`;
  const { outcomes, appointments, replies } = after;
  const newest = outcomes.split(",").slice(3).join(", ");
  const row = [blow.name, phase.name, newest, appointments, replies - before.replies, settled];
  stage.print(`| ${row.join(" | ")} |`);
}

async function strikeIn(
  stage: ScenarioContext,
  talk: AgentTalk,
  blow: Blow,
  { name, trap }: Phase,
): Promise<void> {
  let isStruck = false;
  const strike = (): void => {
    isStruck = true;
    blow.strike(stage);
  };
  if (trap === null) {
    await talk.say("sí");
    await sleep(1_000);
    strike();
  } else {
    void stage.installation.proxies.workerMysql.trapCommit({ ...trap, act: strike });
    await talk.say("sí");
  }
  const isReached = (await untilTrue(() => isStruck, springMs)) !== null;
  check(stage, isReached, `${blow.name}: never reached ${name}`);
  await blow.mend(stage);
}

/** One booking and one message that tells of it; or people have it, with a note of it. */
function judge(
  stage: ScenarioContext,
  name: string,
  given: { before: TalkBook; after: TalkBook; settledMs: number | null },
): void {
  const { before, after, settledMs } = given;
  check(stage, settledMs !== null, `${name}: the turn never ended`);
  check(stage, after.appointments <= 1, `${name}: ${after.appointments} appointments`);
  check(stage, after.replies === before.replies + 1, `${name}: not one message`);
  check(stage, after.untold === 0, `${name}: the customer does not know of a booking`);
  const isBooked = after.appointments === 1 && after.confirmations === 1;
  const isHandedOver = after.status === "handed_off" && after.confirmations === after.appointments;
  check(stage, isBooked || isHandedOver, `${name}: neither booked once nor handed over`);
}

export const agentScenarios: readonly Scenario[] = [turns];
