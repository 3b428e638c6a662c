import { AgentConversation, AgentToolCall, AgentTurn } from "../../../../db/entities/agent-turn.ts";
import type { Conversation } from "../../../../db/entities/conversation.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { detectLanguage } from "../../../agent/basic/language.ts";
import { isToolName, parseToolInput } from "../../../agent/tool-input.ts";
import type { ToolCall, ToolName, ToolRefusal, ToolResult } from "../../../agent/tools.ts";
import { AppError } from "../../../errors.ts";
import type { AgentSettings } from "../../../model/agent.ts";
import { asLocale } from "../../../model/user.ts";
import { getAccount } from "../../accounts/accounts.ts";
import { actAs } from "../../act-as.ts";
import { readAnswered } from "../../conversations/agent-messages.ts";
import { lockWithContact } from "../../conversation-records/conversation-records.ts";
import { findOwned, insertRow, lockOwnedIfThere } from "../../sql.ts";
import { toStorable } from "../storable.ts";
import {
  bookForCustomer,
  cancelForCustomer,
  listAppointments,
  moveForCustomer,
} from "./appointments.ts";
import { changeContactData, moveToAllowedStage, writeNote } from "./contact.ts";
import { readTexts } from "./customer-words.ts";
import { findKnowledge } from "./knowledge.ts";
import { findWritingTool, listProposed, proposedCode, withNamedTime } from "./proposals.ts";
import { refusalOf, ToolRefused } from "./refusals.ts";
import { findSlots, offerNearest } from "./slots.ts";
import type { Tool, ToolEffect, ToolRun } from "./tool-run.ts";

/** The effect of each tool. To add one: its arguments in `core/agent/tools.ts` and a line here. */
const tools: { [Name in ToolName]: Tool<Name> } = {
  search_knowledge: findKnowledge,
  list_appointments: listAppointments,
  find_slots: findSlots,
  book_appointment: bookForCustomer,
  reschedule_appointment: moveForCustomer,
  cancel_appointment: cancelForCustomer,
  update_contact: changeContactData,
  move_stage: moveToAllowedStage,
  add_note: writeNote,
  // The service of the turn hands over, in one transaction with the closing text.
  hand_off: async () => ({ result: {} }),
};

/** A call of a turn, and its place in the turn. */
export interface TurnCall {
  turn: AgentTurn;
  seq: number;
  position: number;
  call: ToolCall;
  settings: AgentSettings;
}

/** Outcome of a call. `terminal`: the turn ends with a handover. */
export type ToolOutcome =
  | { state: "done"; result: ToolResult; terminal: boolean }
  | { state: "paused" };

/**
 * Runs one call: checks the fences, makes the effect and writes the ledger, all in the caller's
 * transaction. A repeat returns the stored result. A refused call leaves nothing but its row.
 *
 * No action commits after a pause: flag, epoch and turn are read under the lock of the
 * conversation, which a pause takes too. Locks, in this order: contact, conversation, turn.
 */
export async function runTool(given: Tx, { turn, ...of }: TurnCall): Promise<ToolOutcome> {
  const tx = actAs(given, "agent");
  const conversation = await lockConversationOfTurn(tx, turn.conversationId);
  const { seq, position, call, settings } = of;
  const known = await findOwned(tx, AgentToolCall, { turnId: turn.id, seq, position });
  if (known !== null)
    return doneWith(known.tool, known.result ?? refuse(new ToolRefused("failed")));
  if (conversation === null) return { state: "paused" };
  const current = await lockOwnedIfThere(tx, AgentTurn, { id: turn.id });
  if (current === null || !mayAct(current, conversation)) return { state: "paused" };
  const run = { tx, turn: current, conversation, settings, ...(await readWords(tx, current)) };
  const asked = toStorable(call.input);
  const isProposal = turn.mode === "draft" && findWritingTool(call.tool) !== undefined;
  const { result: made, appointmentId } = isProposal
    ? await tryOut(run, call.tool, asked)
    : await attempt(run, () => act(run, call.tool, asked));
  const result = toStorable(made) as ToolResult;
  const input = (isProposal && withNamedTime(asked, result, run.timeZone)) || asked;
  await insertRow(tx, AgentToolCall, {
    accountId: tx.actor.accountId,
    turnId: turn.id,
    conversationId: conversation.id,
    contactId: conversation.contactId,
    seq,
    position,
    callId: toToken(call.callId),
    tool: toToken(call.tool),
    input,
    result,
    code: result.ok ? (isProposal ? proposedCode : "ok") : result.code,
    untold: appointmentId !== null,
    appointmentId,
    createdAt: tx.now,
  });
  return doneWith(call.tool, result);
}

/**
 * Makes a change that a person has approved, as the agent, with the fences of its tool.
 * @param conversation locked, and its contact before it.
 * @returns the refusal, after which the caller rolls back; null once the change is made.
 */
export async function makeProposed(
  given: Tx,
  call: AgentToolCall,
  of: { turn: AgentTurn; conversation: Conversation; settings: AgentSettings },
): Promise<ToolRefusal | null> {
  const tx = actAs(given, "agent");
  const run = { tx, ...of, ...(await readWords(tx, of.turn)) };
  const { result, appointmentId } = await attempt(run, () => act(run, call.tool, call.input));
  if (!result.ok) return result;
  Object.assign(call, { result: toStorable(result), code: "ok", appointmentId });
  const { code } = call;
  await tx.manager.update(AgentToolCall, call.id, { result: call.result, code, appointmentId });
  return null;
}

function doneWith(tool: string, result: ToolResult): ToolOutcome {
  return { state: "done", result, terminal: tool === "hand_off" && result.ok };
}

/** The conversation, locked after its contact; null once it was erased. */
async function lockConversationOfTurn(
  tx: Tx,
  conversationId: number,
): Promise<Conversation | null> {
  try {
    return await lockWithContact(tx, conversationId);
  } catch (error) {
    if (error instanceof AppError && error.code === "conversation_not_found") return null;
    throw error;
  }
}

/** A draft has no effect, so that it goes on while people have the conversation. */
function mayAct(turn: AgentTurn, { botEnabled, botEpoch, status }: Conversation): boolean {
  if (turn.outcome !== null || turn.cutAt !== null) return false;
  if (turn.mode === "draft") return true;
  return botEnabled && botEpoch === turn.epoch && status !== "resolved";
}

/** The language of the burst, as the reply will have it, and the account's zone. */
export async function readWords(tx: Tx, turn: AgentTurn) {
  const { accountId, conversationId } = turn;
  const { locale, timeZone } = await getAccount(tx);
  const known = await tx.manager.findOneBy(AgentConversation, { accountId, conversationId });
  const burst = await readTexts(tx, turn, await readAnswered(tx, turn));
  return { language: detectLanguage(burst, known?.language ?? null, asLocale(locale)), timeZone };
}

interface AttemptOutcome {
  result: ToolResult;
  /** Null where the customer need not be told. */
  appointmentId: number | null;
}

/**
 * Tries a change and undoes it, so that the model learns its result and nothing changes. Changes
 * that the turn has proposed before come first, as they will when a person approves.
 */
async function tryOut(run: ToolRun, tool: string, input: unknown): Promise<AttemptOutcome> {
  const { manager } = run.tx;
  const before = await listProposed(run);
  await manager.query("SAVEPOINT tool_trial");
  const { result } = await attempt(run, async () => {
    for (const one of before) await act(run, one.tool, one.input);
    return await act(run, tool, input);
  });
  await manager.query("ROLLBACK TO SAVEPOINT tool_trial");
  return { result, appointmentId: null };
}

/** Makes the effect of a call, or undoes all of it and returns the refusal. */
async function attempt(
  run: ToolRun,
  work: () => Promise<ToolEffect<ToolName>>,
): Promise<AttemptOutcome> {
  const { manager } = run.tx;
  await manager.query("SAVEPOINT tool_effect");
  try {
    const { result, appointmentId = null } = await work();
    return { result: { ok: true, ...result } as ToolResult, appointmentId };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    await manager.query("ROLLBACK TO SAVEPOINT tool_effect");
    const result = refuse(refusal);
    if (refusal.near !== null) result.nearest = await offerNearest(run, refusal.near);
    return { result, appointmentId: null };
  }
}

function refuse({ code, hint }: ToolRefused): ToolRefusal {
  return { ok: false, code, hint };
}

async function act(run: ToolRun, tool: string, input: unknown): Promise<ToolEffect<ToolName>> {
  if (!isToolName(tool)) throw new ToolRefused("unknown_tool");
  requireAllowed(run, tool);
  return await runNamedTool(run, tool, input);
}

async function runNamedTool<Name extends ToolName>(
  run: ToolRun,
  tool: Name,
  input: unknown,
): Promise<ToolEffect<Name>> {
  const parsed = parseToolInput(tool, input);
  if (!parsed.ok) throw new ToolRefused("invalid_input", parsed.hint);
  return await tools[tool](run, parsed.input);
}

/** @throws ToolRefused `not_allowed` */
function requireAllowed({ settings }: ToolRun, tool: ToolName): void {
  const optional = findWritingTool(tool);
  if (optional === undefined || settings.tools.includes(optional)) return;
  throw new ToolRefused("not_allowed");
}

/** A model may write any name. The ledger keeps what a log may show of it. */
function toToken(text: string): string {
  return text.replaceAll(/[^\w.-]/gu, "?").slice(0, 64);
}
