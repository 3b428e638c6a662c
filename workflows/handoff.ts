import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import { listUnansweredSteps, type HandoffInput } from "../core/model/workflow/handoff.ts";

/** The conversation has left the handoff. */
export const ended = defineSignal("ended");
/** A person has written to the customer. */
export const replied = defineSignal("replied");

const { beginHandoff, remindHandoff, escalateHandoff, returnToAgent } = proxyActivities<Activities>(
  {
    startToCloseTimeout: 20_000,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  },
);

const unanswered = {
  remind: { goal: "the reminder", act: remindHandoff },
  escalate: { goal: "the escalation", act: escalateHandoff },
};

/** Final state of a handoff. */
export type HandoffResult = { state: "ended" | "returned" | "over" };

/**
 * One handoff, from the pause of the AI agent until the conversation is no longer handed over (rule
 * C34). It assigns the conversation, then reminds and escalates until a person answers. After a
 * long silence it gives the conversation back to the agent, if the account wants that. Signals are
 * hints: every step reads MySQL before it acts.
 */
export async function handoff(input: HandoffInput): Promise<HandoffResult> {
  const seen = { ended: false, replied: false };
  setHandler(ended, () => void (seen.ended = true));
  setHandler(replied, () => void (seen.replied = true));
  const start = await beginHandoff(input);
  if (!start.current) return { state: "over" };
  seen.replied ||= start.replied;

  const isAnswered = () => seen.ended || seen.replied;
  for (const { step, waitMs } of listUnansweredSteps(start)) {
    if (isAnswered()) break;
    const { goal, act } = unanswered[step];
    const summary = `wait ${formatWait(waitMs)} before ${goal}`;
    setCurrentDetails(`Nobody has answered yet; ${summary}.`);
    if (await condition(isAnswered, waitMs, { summary })) break;
    const { state } = await act(input);
    if (state === "over") return { state };
    seen.replied ||= state === "replied";
  }
  setCurrentDetails("The conversation is with people.");
  return await watchSilence(input, start.returnMs, () => seen.ended);
}

/** The activity checks the silence, because only MySQL has the time of a person's last message. */
async function watchSilence(
  input: HandoffInput,
  silenceMs: number | null,
  isEnded: () => boolean,
): Promise<HandoffResult> {
  if (silenceMs === null) await condition(isEnded);
  while (silenceMs !== null && !isEnded()) {
    const outcome = await returnToAgent({ ...input, silenceMs });
    if (outcome.state !== "waiting") return { state: outcome.state };
    const summary = `wait ${formatWait(outcome.waitMs)} before the agent takes over again`;
    await condition(isEnded, outcome.waitMs, { summary });
  }
  return { state: "ended" };
}
