import { invalidField } from "../../core/errors.ts";
import { maxTrialLines, type PlaygroundBody } from "../../core/model/agent-playground.ts";
import { minuteMs } from "../../core/model/durations.ts";
import type { Principal } from "../../core/model/principal.ts";
import type { PlaygroundView } from "../../core/model/views/agent-playground.ts";
import { answerTrial } from "../../core/services/agent/trial-run.ts";
import type { Trial, TrialLine } from "../../core/services/agent/trial.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { rehearse } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { admin } from "./access.ts";
import { dashboardRoute } from "./route.ts";

/** Time limit of the model calls of a line, below the 30 s that the Dashboard waits. */
const limitMs = 25_000;
/** Clocks of browsers may be behind. */
const tolerableMs = 10 * minuteMs;

/** Trials of the agent's draft, of which nothing stays. */
export const agentPlaygroundRoutes = [
  dashboardRoute("POST /agent/playground", {
    access: admin,
    tag: "AI agent",
    summary: "Write a line as a customer, and see how the draft would answer; nothing stays",
    errors: [
      "agent_provider_failed",
      "agent_provider_not_found",
      "channel_not_connected",
      "contact_not_found",
      "rate_limited",
      "trial_changed",
    ],
    // Before the route's own transaction, because a model may take its time.
    prepare: async ({ body, actor }, deps) => {
      const key = String(actor.accountId);
      requireTokens(deps.limitTrials, key);
      return await deps.trials.run(key, async () => await answerLine(body, actor, deps));
    },
    run: async (_tx, { prepared }) => ({ data: prepared }),
  }),
];

async function answerLine(
  body: PlaygroundBody,
  actor: Principal,
  { dataSource, models, secretBox }: Deps,
): Promise<PlaygroundView> {
  const { accountId } = actor;
  const trial = openTrial(body, accountId, secretBox);
  trial.lines.push(lineOf(body, trial));
  const line = await answerTrial(
    {
      rehearse: async (work) => await rehearse(dataSource, { actor }, work),
      models,
      limitMs,
    },
    trial,
  );
  return { ...line, trial: secretBox.seal(JSON.stringify(trial), contextOf(accountId)) };
}

/**
 * The trial so far. Sealed, it may lie with the browser: no table holds it, any API process goes on
 * with it, and nobody else can write the agent's part.
 */
function openTrial(body: PlaygroundBody, accountId: number, secretBox: SecretBox): Trial {
  const { channel, contact_id: contactId = null, contact, trial } = body;
  if (trial === undefined) return { channel, contactId, name: contact?.name ?? null, lines: [] };
  try {
    return JSON.parse(secretBox.open(trial, contextOf(accountId))) as Trial;
  } catch {
    throw invalidField("body.trial", "unknown_trial", "This trial is not known. Start over.");
  }
}

/** @throws AppError `validation_error` with `past_time` or `too_many_lines`. */
function lineOf({ text, now, provider_id: providerId }: PlaygroundBody, trial: Trial): TrialLine {
  if (trial.lines.length >= maxTrialLines) {
    const message = `A trial has at most ${maxTrialLines} lines. Start over.`;
    throw invalidField("body.trial", "too_many_lines", message);
  }
  const present = Date.now();
  const wanted = now?.getTime() ?? present;
  if (wanted < present - tolerableMs) {
    throw invalidField("body.now", "past_time", "Choose a moment that is to come.");
  }
  // The lines of a conversation are in the order of time.
  const before = Date.parse(trial.lines.at(-1)?.at ?? new Date(0).toISOString());
  return { text, at: new Date(Math.max(wanted, before)).toISOString(), providerId, steps: [] };
}

/** The number changes with the form of a trial. */
function contextOf(accountId: number): string {
  return `agent_playground:1:${accountId}`;
}
