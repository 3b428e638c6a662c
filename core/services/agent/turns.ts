import { AgentTurn } from "../../../db/entities/agent-turn.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { basicEngine, type HandoverReason, type TurnMode } from "../../model/agent.ts";
import { dayMs, hourMs, minuteMs } from "../../model/durations.ts";
import type { AgentTurnInput, TurnBegin, TurnRef } from "../../model/workflow/agent.ts";
import { recordChange } from "../outbox/changes.ts";
import { idsOfConversation } from "../conversation-records/conversation-records.ts";
import { insertRow, lockOwnedIfThere } from "../sql.ts";
import { readNewest, type NewestMessages } from "../conversations/agent-messages.ts";
import { findHandoverReason } from "./handover-rules.ts";
import { handOver } from "./handover.ts";
import { clearOwed } from "./progress.ts";
import { finishTurn, lockTurn } from "./turn-records.ts";
import { findActiveAgent, type ActiveAgent } from "./versions.ts";

/**
 * Turns of a contact in an hour and in a day that a provider may serve, and turns of a conversation
 * that look like a loop of two machines. The built-in agent costs nothing, so it has the last alone.
 */
const limits = [
  { reason: "limits", sql: "contact_id = ? AND engine <> 'basic'", turns: 20, withinMs: hourMs },
  { reason: "limits", sql: "contact_id = ? AND engine <> 'basic'", turns: 100, withinMs: dayMs },
  { reason: "loop_suspected", sql: "conversation_id = ?", turns: 20, withinMs: 5 * minuteMs },
] as const;

/** Tokens in 24 hours that the conversation of a visitor of web chat may cost. */
const maxVisitTokens = 200_000;
const newestTurns = 1_000;

/**
 * Begins a turn where the customer is owed an answer: the agent is on, the customer wrote last, and
 * no person has answered. A repeat returns the turn that has begun already, and so does a person's
 * request for a draft. Where a rule asks for a person, the conversation is handed over before any
 * model is asked.
 */
export async function beginTurn(tx: Tx, input: AgentTurnInput): Promise<TurnBegin> {
  const { conversationId } = input;
  const agent = await findActiveAgent(tx);
  const row = await lockOwnedIfThere(tx, Conversation, { id: conversationId });
  const known = row === null ? null : await findOpenTurn(tx, conversationId);
  const owed = agent === null || row === null ? null : await findOwed(tx, row, agent);
  if (row !== null && known !== null) {
    const isCurrent =
      known.requestedById === null ? isOwed(known, row, owed) : owed?.mode !== "live";
    if (isCurrent && known.cutAt === null) return { state: "go", turnId: known.id };
    // Its run was terminated, or the customer went on writing.
    await finishTurn(tx, known, { outcome: "superseded" });
    await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  }
  if (agent === null || row === null || owed === null) {
    await clearOwed(tx, conversationId);
    return { state: "idle" };
  }
  const reopened = await isReopened(tx, row);
  const turn = await insertTurn(tx, row, { ...owed, agent, reopened });
  await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  const reason =
    (await findExceededLimit(tx, turn, row.channel)) ??
    (await findHandoverReason(tx, turn, { settings: agent.settings, answered: owed.answered }));
  if (reason === null) return { state: "go", turnId: turn.id };
  const { state } = await handOver(tx, row, turn, { reason, settings: agent.settings });
  return { state: state === "silent" ? "silent" : "handed_off" };
}

/** The message of the customer that a turn is to answer, and the kind of the turn. */
interface OwedAnswer {
  watermark: number;
  mode: "live" | "draft";
  /** The customer's newest message that was answered already; 0 without one. */
  answered: number;
}

function isOwed(turn: AgentTurn, row: Conversation, owed: OwedAnswer | null): boolean {
  const { watermark, mode, epoch } = turn;
  return watermark === owed?.watermark && mode === owed.mode && epoch === row.botEpoch;
}

/**
 * Ends a turn without a reply. A turn that has ended keeps its outcome. A person's request stays open
 * after a signal that came late, because nothing else would begin it again.
 */
export async function endTurn(
  tx: Tx,
  { conversationId, turnId, outcome }: TurnRef & { outcome: "paused" | "superseded" },
): Promise<{ state: "paused" | "superseded" }> {
  const row = await lockOwnedIfThere(tx, Conversation, { id: conversationId });
  const turn = await lockTurn(tx, turnId);
  if (turn === null || turn.outcome !== null) return { state: outcome };
  // A signal may come late, or twice: only MySQL knows if this turn was paused.
  const newest = await readNewest(tx, conversationId);
  const isOurs = row !== null && isStillOurs(row, turn, newest);
  const state = isOurs ? "superseded" : outcome;
  const isRequest = turn.requestedById !== null;
  if (isOurs && isRequest && newest.customer <= turn.watermark) return { state };
  await finishTurn(tx, turn, { outcome: state, abortedAt: tx.now });
  if (state === "paused") await clearOwed(tx, conversationId);
  if (row !== null)
    await recordChange(tx, { kind: "conversation.updated", ...idsOfConversation(row) });
  return { state };
}

/**
 * True while the agent may go on with a turn: no pause, no person's message, no end. A draft that a
 * person asked for goes on while people have the conversation, until a later pause or message.
 */
export function isStillOurs(row: Conversation, turn: AgentTurn, newest: NewestMessages): boolean {
  if (turn.requestedById !== null) return turn.cutAt === null;
  const isOurs = row.botEnabled && row.botEpoch === turn.epoch && turn.cutAt === null;
  return isOurs && row.status !== "resolved" && newest.people <= turn.watermark;
}

/** The open turn of a locked conversation, locked too. */
export async function findOpenTurn(tx: Tx, conversationId: number): Promise<AgentTurn | null> {
  return await lockOwnedIfThere(tx, AgentTurn, { openConversationId: conversationId });
}

/** Inserts an open turn of a locked conversation. */
export async function insertTurn(
  tx: Tx,
  conversation: Conversation,
  given: {
    watermark: number;
    agent: ActiveAgent;
    mode: TurnMode;
    requestedById?: number;
    reopened?: boolean;
  },
): Promise<AgentTurn> {
  const { watermark, agent, mode, requestedById = null, reopened = false } = given;
  const turn = tx.manager.create(AgentTurn, {
    accountId: tx.actor.accountId,
    conversationId: conversation.id,
    contactId: conversation.contactId,
    openConversationId: mode === "playground" ? null : conversation.id,
    epoch: conversation.botEpoch,
    watermark,
    settingsNumber: agent.number,
    mode,
    requestedById,
    engine: basicEngine,
    outcome: null,
    reason: null,
    steps: 0,
    calls: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    messageId: null,
    reopened,
    cutAt: null,
    abortedAt: null,
    createdAt: tx.now,
    finishedAt: null,
  });
  turn.id = await insertRow(tx, AgentTurn, turn);
  return turn;
}

/** The customer's newest message, where the agent owes an answer or a draft to it; else null. */
export async function findOwed(
  tx: Tx,
  row: Conversation,
  { settings }: ActiveAgent,
): Promise<OwedAnswer | null> {
  if (!row.botEnabled || row.otherAppAnswers) return null;
  if (row.status === "resolved" || row.status === "handed_off") return null;
  const mode = settings.modes[row.channel] ?? "auto";
  if (mode === "off") return null;
  const { customer: watermark, people, answered } = await readNewest(tx, row.id);
  if (watermark <= answered || people > watermark) return null;
  if (mode === "draft" && (await hadDraft(tx, row, watermark))) return null;
  // People have answered the messages before theirs.
  const since = { watermark, answered: Math.max(answered, people) };
  return { ...since, mode: mode === "auto" ? "live" : mode };
}

/**
 * True where a draft of this message is done, whatever became of it, or where a person cancelled it.
 * A pause cancels it too, but begins another epoch, in which a draft is owed again.
 */
async function hadDraft(
  tx: Tx,
  { id, botEpoch }: Conversation,
  watermark: number,
): Promise<boolean> {
  const [row] = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM agent_turns WHERE account_id = ? AND conversation_id = ? AND mode = 'draft'
        AND watermark >= ?
        AND (outcome IN ('drafted', 'silent') OR (outcome = 'paused' AND epoch = ?)) LIMIT 1`,
    [tx.actor.accountId, id, watermark, botEpoch],
  );
  return row !== undefined;
}

/** Notes of a conversation among which the end of the conversation is looked for. */
const newestNotes = 50;

/**
 * True where the agent answered last, the conversation was resolved after that, and the customer
 * came back within 24 h.
 */
async function isReopened(tx: Tx, { accountId, id }: Conversation): Promise<boolean> {
  const [before] = await tx.manager.query<{ outcome: string | null; created_at: Date }[]>(
    `SELECT outcome, created_at FROM agent_turns FORCE INDEX (agent_turns_conversation)
      WHERE account_id = ? AND conversation_id = ? AND mode = 'live' ORDER BY id DESC LIMIT 1`,
    [accountId, id],
  );
  if (before?.outcome !== "replied") return false;
  const dayAgo = tx.now.getTime() - dayMs;
  const since = new Date(Math.max(before.created_at.getTime(), dayAgo));
  const ends = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM (SELECT params, created_at FROM conversation_notes
        WHERE account_id = ? AND conversation_id = ? ORDER BY id DESC LIMIT ?) newest
      WHERE newest.created_at >= ? AND newest.params->>'$.to' = 'resolved' LIMIT 1`,
    [accountId, id, newestNotes, since],
  );
  return ends.length > 0;
}

/**
 * Limit that the turn would exceed, or null. Anybody can begin a session of web chat, so its turns
 * count by tokens too, also those that ended without a reply.
 */
async function findExceededLimit(
  tx: Tx,
  turn: AgentTurn,
  channel: Conversation["channel"],
): Promise<HandoverReason | null> {
  if (channel === "web" && (await sumVisitTokens(tx, turn)) >= maxVisitTokens) return "limits";
  const rows = await tx.manager.query<{ number: number; count: number }[]>(
    limits.map(({ sql, turns }, number) => countSql(number, sql, turns)).join(" UNION ALL "),
    limits.flatMap(({ sql, withinMs }) => {
      const value = sql.startsWith("contact_id") ? turn.contactId : turn.conversationId;
      return [value, turn.accountId, new Date(tx.now.getTime() - withinMs)];
    }),
  );
  const counts = new Map(rows.map(({ number, count }) => [Number(number), Number(count)]));
  return limits.find(({ turns }, number) => (counts.get(number) ?? 0) >= turns)?.reason ?? null;
}

/** SQL of one limit: at most `turns` of its turns are counted. */
function countSql(number: number, sql: string, turns: number): string {
  return `SELECT ${number} AS number, COUNT(*) AS count FROM (SELECT 1 FROM agent_turns
     WHERE ${sql} AND account_id = ? AND mode <> 'playground'
       AND outcome IN ('replied', 'drafted') AND created_at > ? LIMIT ${turns}) AS newest${number}`;
}

async function sumVisitTokens(tx: Tx, { accountId, conversationId }: AgentTurn): Promise<number> {
  const [row] = await tx.manager.query<{ tokens: string | null }[]>(
    `SELECT SUM(tokens) AS tokens FROM (
       SELECT input_tokens + output_tokens AS tokens, created_at
         FROM agent_turns FORCE INDEX (agent_turns_conversation)
        WHERE conversation_id = ? AND account_id = ? AND mode <> 'playground'
        ORDER BY id DESC LIMIT ${newestTurns}) AS newest
      WHERE created_at > ?`,
    [conversationId, accountId, new Date(tx.now.getTime() - dayMs)],
  );
  return Number(row?.tokens ?? 0);
}
