import { In } from "typeorm";
import { AgentStep, AgentToolCall, AgentTurn } from "../../../db/entities/agent-turn.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RatingValue } from "../../model/agent-rating.ts";
import type { HandoverReason, TurnMode, TurnOutcome } from "../../model/agent.ts";
import type { LogBounds, LogPage } from "../../model/page.ts";
import type { AgentTurnDetail, AgentTurnView } from "../../model/views/agent-turn.ts";
import { contactName } from "../contacts/contact-records.ts";
import { saidIn } from "../conversations/options.ts";
import { countUpTo, cutPage, findOwned, getOwned } from "../sql.ts";

const maxCounted = 1_000;

/** Filter of a list of turns. */
export interface TurnFilter extends LogBounds {
  conversation_id?: number | undefined;
  /** Message that the turn wrote. */
  message_id?: number | undefined;
  outcome?: TurnOutcome | undefined;
  reason?: HandoverReason | undefined;
  mode?: TurnMode | undefined;
  rating?: RatingValue | undefined;
  reopened?: boolean | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Turns of the account, newest first. */
export async function listTurns(
  tx: Tx,
  { limit, before_id: before, ...filter }: TurnFilter,
): Promise<LogPage<AgentTurn>> {
  const { where, values } = await conditionsOf(tx, filter);
  const bound =
    before === undefined ? { sql: "", values: [] } : { sql: " AND t.id < ?", values: [before] };
  const ids = await tx.manager.query<{ id: number }[]>(
    `SELECT t.id FROM agent_turns t WHERE ${where}${bound.sql} ORDER BY t.id DESC LIMIT ?`,
    [...values, ...bound.values, limit + 1],
  );
  const { page, next } = cutPage(ids, limit);
  const rows = await tx.manager.find(AgentTurn, {
    where: { accountId: tx.actor.accountId, id: In(page.map(({ id }) => id)) },
    order: { id: "DESC" },
  });
  const counted = await countUpTo(
    tx,
    { sql: `FROM agent_turns t WHERE ${where}`, values },
    { cap: maxCounted, known: page.length },
  );
  return { rows, ...counted, next: next?.id ?? null };
}

async function conditionsOf(
  tx: Tx,
  filter: Omit<TurnFilter, keyof LogBounds>,
): Promise<{ where: string; values: unknown[] }> {
  const { message_id: messageId } = filter;
  const written = messageId === undefined ? undefined : await findTurnOf(tx, messageId);
  const { accountId } = tx.actor;
  const { rating, since = new Date(0) } = filter;
  const parts: [string, unknown][] = [
    ["t.account_id = ?", accountId],
    ["t.id = ?", written],
    ["t.conversation_id = ?", filter.conversation_id],
    ["t.outcome = ?", filter.outcome],
    ["t.reason = ?", filter.reason],
    ["t.mode = ?", filter.mode],
    ["t.reopened = ?", filter.reopened],
    ["t.created_at >= ?", filter.since],
    ["t.created_at < ?", filter.until],
    [ratedSql, rating === undefined ? undefined : [accountId, since, rating]],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([sql]) => sql).join(" AND "),
    values: given.flatMap(([, value]) => value),
  };
}

/** Ratings are far fewer than turns, and a rating is younger than its turn. */
const ratedSql =
  "t.id IN (SELECT turn_id FROM agent_ratings WHERE account_id = ? AND created_at >= ? AND value = ?)";

/** Id of the turn that wrote a message; 0 where no turn did. */
async function findTurnOf(tx: Tx, messageId: number): Promise<number> {
  const message = await findOwned(tx, Message, { id: messageId });
  return message?.agentTurnId ?? 0;
}

/** @throws AppError `agent_turn_not_found` */
export async function getTurn(tx: Tx, id: number): Promise<AgentTurn> {
  return await getOwned(tx, AgentTurn, "agent_turn", { id });
}

/** Views of turns in lists, with the names of their contacts. */
export async function presentTurns(tx: Tx, rows: AgentTurn[]): Promise<AgentTurnView[]> {
  const names = await loadContactNames(tx, rows);
  return rows.map((row) => presentTurn(row, names));
}

async function loadContactNames(tx: Tx, rows: AgentTurn[]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map(({ contactId }) => contactId))];
  const where = { accountId: tx.actor.accountId, id: In(ids) };
  const contacts = ids.length === 0 ? [] : await tx.manager.findBy(Contact, where);
  return new Map(contacts.map((contact) => [contact.id, contactName(contact)]));
}

function presentTurn(row: AgentTurn, names: Map<number, string>): AgentTurnView {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    contact_id: row.contactId,
    contact_name: names.get(row.contactId) ?? null,
    mode: row.mode,
    engine: row.engine,
    outcome: row.outcome,
    reason: row.reason,
    steps: row.steps,
    calls: row.calls,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    output_tokens: row.outputTokens,
    cost_micros: row.costMicros,
    message_id: row.messageId,
    settings_number: row.settingsNumber,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    duration_ms:
      row.finishedAt === null ? null : row.finishedAt.getTime() - row.createdAt.getTime(),
  };
}

/** View of one turn, with all that led to its outcome. */
export async function presentTurnDetail(
  tx: Tx,
  row: AgentTurn,
): Promise<Omit<AgentTurnDetail, "run_url">> {
  const mine = { accountId: row.accountId, turnId: row.id };
  const steps = await tx.manager.find(AgentStep, { where: mine, order: { seq: "ASC" } });
  const calls = await tx.manager.find(AgentToolCall, {
    where: mine,
    order: { seq: "ASC", position: "ASC" },
  });
  return {
    ...presentTurn(row, await loadContactNames(tx, [row])),
    burst: await loadBurst(tx, row),
    trace: steps.map((step) => ({
      ...presentStep(step),
      calls: calls.filter(({ seq }) => seq === step.seq).map(presentCall),
    })),
  };
}

function presentStep(step: AgentStep) {
  return {
    seq: step.seq,
    state: step.state,
    tries: step.tries,
    provider_id: step.providerId,
    text: step.output?.text ?? null,
    guard: step.guard,
    repair: step.repair,
    failure: step.failure,
    input_tokens: step.inputTokens,
    cached_tokens: step.cachedTokens,
    output_tokens: step.outputTokens,
    duration_ms: step.durationMs,
  };
}

function presentCall(call: AgentToolCall) {
  return {
    position: call.position,
    tool: call.tool,
    input: call.input,
    result: call.result,
    code: call.code,
    appointment_id: call.appointmentId,
    told_message_id: call.toldMessageId,
    untold: call.untold,
  };
}

/** The customer's messages since the turn before, up to the one that the turn answers. */
async function loadBurst(tx: Tx, { accountId, conversationId, id, watermark }: AgentTurn) {
  const [before] = await tx.manager.query<{ watermark: number }[]>(
    `SELECT watermark FROM agent_turns WHERE account_id = ? AND conversation_id = ? AND id < ?
        AND outcome IN ('replied', 'handed_off') ORDER BY id DESC LIMIT 1`,
    [accountId, conversationId, id],
  );
  const rows = await tx.manager.query<
    { id: number; type: string; content: string | null; interactive: object | null }[]
  >(
    `SELECT id, type, content, interactive FROM messages FORCE INDEX (messages_conversation)
      WHERE account_id = ? AND conversation_id = ? AND id > ? AND id <= ?
        AND direction = 'inbound' AND imported = 0 ORDER BY id DESC LIMIT 20`,
    [accountId, conversationId, before?.watermark ?? 0, watermark],
  );
  return rows
    .toReversed()
    .map((row) => ({ message_id: row.id, text: saidIn(row) ?? `[${row.type}]` }));
}
