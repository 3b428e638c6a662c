import { detectLanguage } from "../../../core/agent/basic/language.ts";
import { basicStep } from "../../../core/agent/basic/basic-agent.ts";
import { burstOf } from "../../../core/agent/basic/reading.ts";
import type { AgentContext } from "../../../core/agent/context.ts";
import type { ToolCall, ToolResult, ToolRound } from "../../../core/agent/tools.ts";

/** A turn of a transcript: the customer's burst, and the expected calls and reply. */
export interface TranscriptTurn {
  customer: string;
  /**
   * Names of calls in their order, with a part of their input: `find_slots`, or
   * `book_appointment {"time":"17:00"}`. Without `calls` none is made.
   */
  calls?: readonly string[];
  /** Texts that the reply holds, in any case. */
  says?: readonly string[];
  /** Texts that the reply does not hold. */
  hides?: readonly string[];
}

export interface Transcript {
  name: string;
  language: "es" | "en";
  heldOut?: boolean;
  /** Name of the start in `scenes`. */
  scene?: "new" | "known" | "booked" | "booked twice" | "full" | "plain" | "taken" | "closed team";
  turns: readonly TranscriptTurn[];
}

/** Everything around the agent: the state of the account, and the tools that change it. */
export interface TranscriptWorld {
  /** A context without the messages, the dialogue and the rounds of this run. */
  read: (
    burst: string,
  ) => Omit<AgentContext, "messages" | "answeredUpTo" | "rounds" | "dialogue" | "language">;
  runTool: (call: ToolCall, language: "es" | "en") => Promise<ToolResult>;
}

export interface PlayedTurn {
  calls: ToolCall[];
  reply: string;
}

const maxSteps = 6;

/** Drives the agent through the customer's turns as the service does: step, tools, step, reply. */
export async function runTranscript(
  { turns }: Pick<Transcript, "turns">,
  world: TranscriptWorld,
): Promise<PlayedTurn[]> {
  const played: PlayedTurn[] = [];
  const messages: AgentContext["messages"][number][] = [];
  let language: AgentContext["language"] = null;
  let dialogue: AgentContext["dialogue"] = null;
  let answeredUpTo = 0;
  for (const { customer } of turns) {
    const at = world.read(customer).now;
    messages.push({ id: messages.length + 1, speaker: "customer", text: customer, at });
    const rounds: ToolRound[] = [];
    const calls: ToolCall[] = [];
    const read = (): AgentContext => {
      const base = world.read(customer);
      const burst = burstOf({ messages, answeredUpTo });
      language = detectLanguage(burst, language, base.account.locale);
      return { ...base, messages, answeredUpTo, rounds, dialogue, language };
    };
    let reply: string | null = null;
    for (let step = 0; step < maxSteps && reply === null; step += 1) {
      const output = basicStep(read());
      if (output.kind === "reply") {
        reply = output.text;
        dialogue = output.dialogue ?? null;
        break;
      }
      calls.push(...output.calls);
      const results = [];
      for (const call of output.calls) {
        results.push({ ...call, result: await world.runTool(call, language ?? "es") });
      }
      rounds.push({ text: output.text, calls: results });
    }
    if (reply === null) throw new Error(`No reply after ${maxSteps} steps to: ${customer}`);
    answeredUpTo = messages.length;
    messages.push({ id: messages.length + 1, speaker: "agent", text: reply, at });
    played.push({ calls, reply });
  }
  return played;
}

/** Differences between a played transcript and the expected one; empty where it is as expected. */
export function listFaults(
  { turns }: Pick<Transcript, "turns">,
  played: readonly PlayedTurn[],
): string[] {
  return turns.flatMap(({ customer, calls = [], says = [], hides = [] }, index) => {
    const { calls: made = [], reply = "" } = played[index] ?? {};
    const text = reply.toLowerCase();
    const faults: string[] = [];
    const isAsExpected =
      made.length === calls.length && calls.every((one, at) => fitsCall(one, made[at]));
    if (!isAsExpected) {
      const list = made.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join(", ");
      faults.push(`calls [${list}] instead of [${calls.join(", ")}]`);
    }
    faults.push(
      ...says
        .filter((one) => !text.includes(one.toLowerCase()))
        .map((one) => `no "${one}" in: ${reply}`),
    );
    faults.push(
      ...hides
        .filter((one) => text.includes(one.toLowerCase()))
        .map((one) => `"${one}" in: ${reply}`),
    );
    return faults.map((fault) => `${index + 1}. ${customer} → ${fault}`);
  });
}

function fitsCall(expected: string, made: ToolCall | undefined): boolean {
  if (made === undefined) return false;
  const [tool = "", ...rest] = expected.split(" ");
  if (made.tool !== tool) return false;
  const part = rest.length === 0 ? {} : (JSON.parse(rest.join(" ")) as Record<string, unknown>);
  const input = made.input as Record<string, unknown>;
  return Object.entries(part).every(([name, value]) => input[name] === value);
}
