import { In } from "typeorm";
import { AgentProvider } from "../../../db/entities/agent.ts";
import { AgentDraft } from "../../../db/entities/agent-draft.ts";
import { AgentStep, AgentToolCall, AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AgentContext } from "../../agent/context.ts";
import { editDistance } from "../../agent/edit-distance.ts";
import { AppError, invalidField } from "../../errors.ts";
import { basicEngine } from "../../model/agent.ts";
import type { DraftProposal, DraftState } from "../../model/agent-draft.ts";
import { maxContentLength } from "../../model/message.ts";
import type { AgentDraftView } from "../../model/views/agent-draft.ts";
import { requireUserId } from "../accounts/actor.ts";
import { hasNewerMessage } from "../conversations/agent-messages.ts";
import { outdateDraft } from "../conversations/agent-wakeups.ts";
import { sendMessage } from "../conversations/messages.ts";
import { lockWithContact } from "../conversation-records/conversation-records.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, getOwned, insertRow, lockOwned } from "../sql.ts";
import { confirmationsOf } from "./confirmations.ts";
import { storeProgress } from "./progress.ts";
import { findWritingTool, listProposed, wordsOfProposal } from "./tools/proposals.ts";
import { makeProposed, readWords } from "./tools/run-tool.ts";
import { findOffersOf, storeOffers } from "./tools/slots.ts";
import { finishTurn } from "./turn-records.ts";
import { getTurnSettings } from "./versions.ts";

/**
 * Ends a turn with a draft instead of a message. The draft takes the place of an older one.
 * @param turn locked and open, of a locked conversation.
 */
export async function storeDraft(
  tx: Tx,
  turn: AgentTurn,
  { text, stages }: { text: string; stages: AgentContext["stages"] },
): Promise<void> {
  const { accountId, conversationId, contactId } = turn;
  const calls = await listProposed({ tx, turn });
  const proposals = calls.flatMap((call): DraftProposal[] => {
    const tool = findWritingTool(call.tool);
    return tool === undefined ? [] : [{ id: call.id, tool, words: wordsOfProposal(call, stages) }];
  });
  await outdateDraft(tx, conversationId);
  await insertRow(tx, AgentDraft, {
    accountId,
    conversationId,
    contactId,
    turnId: turn.id,
    openConversationId: conversationId,
    source: turn.requestedById === null ? "automatic" : "requested",
    text,
    proposals,
    state: "open",
    createdAt: tx.now,
  });
  await finishTurn(tx, turn, { outcome: "drafted" });
  await recordChange(tx, { kind: "conversation.updated", conversationId, contactId });
}

/** The open draft of a conversation, or null. */
export async function findOpenDraft(
  tx: Tx,
  { id }: Pick<Conversation, "id">,
): Promise<AgentDraftView | null> {
  const row = await findOwned(tx, AgentDraft, { openConversationId: id });
  if (row === null) return null;
  return {
    id: row.id,
    turn_id: row.turnId,
    source: row.source,
    text: row.text,
    proposals: row.proposals,
    fallback: await findFallback(tx, row),
    created_at: row.createdAt.toISOString(),
  };
}

/** Reason why the built-in agent wrote, although the account has a provider; else null. */
async function findFallback(tx: Tx, { turnId }: AgentDraft): Promise<AgentDraftView["fallback"]> {
  const turn = await findOwned(tx, AgentTurn, { id: turnId });
  if (turn?.engine !== basicEngine) return null;
  const { accountId } = tx.actor;
  const providers = await tx.manager.findBy(AgentProvider, { accountId });
  if (providers.length === 0) return null;
  const isServing = providers.some(({ failingUntil }) => (failingUntil ?? tx.now) <= tx.now);
  return isServing ? "budget" : "provider_failing";
}

/** Text and proposals that a person approves. */
export interface DraftApproval {
  text: string;
  proposal_ids: readonly number[];
  external_id?: string | undefined;
}

/**
 * Sends a draft as a message of the person, in one transaction with the approved proposals, whose
 * confirmations follow the text. A repeat of the same person returns the first message; a text with
 * another `external_id` is no repeat, and the draft is closed for it.
 * @throws AppError `agent_draft_not_found`, `agent_draft_closed`, `proposal_refused`,
 * `validation_error` for an empty message, and those of `sendMessage`. None of them sends anything.
 */
export async function sendDraft(
  tx: Tx,
  id: number,
  { text, proposal_ids: approvedIds, external_id }: DraftApproval,
): Promise<{ row: Message; created: boolean }> {
  const userId = requireUserId(tx.actor);
  const { conversationId } = await getOwned(tx, AgentDraft, "agent_draft", { id });
  const conversation = await lockWithContact(tx, conversationId);
  const draft = await lockOwned(tx, AgentDraft, "agent_draft", { id });
  if (draft.messageId !== null && draft.decidedById === userId) {
    const row = await tx.manager.findOneByOrFail(Message, { id: draft.messageId });
    if (external_id === undefined || external_id === row.externalId) return { row, created: false };
  }
  requireOpen(draft);
  const turn = await getOwned(tx, AgentTurn, "agent_turn", { id: draft.turnId });
  const calls = await listApproved(tx, draft, approvedIds);
  const told = await makeAll(tx, { turn, conversation, calls });
  const content = [text.trim(), ...told].filter((part) => part !== "").join("\n");
  if (content === "" || content.length > maxContentLength) {
    const hint = `Use 1 to ${maxContentLength} characters, with the confirmations of the changes.`;
    throw invalidField("body.text", "invalid_length", hint);
  }
  const isWhole = calls.length === draft.proposals.length;
  await closeDraft(tx, draft, text === draft.text && isWhole ? "sent" : "edited");
  const { row } = await sendMessage(
    tx,
    conversationId,
    { type: "text", content, external_id },
    { keepsAgent: draft.source === "automatic" },
  );
  const distance = editDistance(draft.text, text);
  await tx.manager.update(AgentDraft, id, { messageId: row.id, editDistance: distance });
  await tx.manager.update(AgentTurn, turn.id, { messageId: row.id });
  await markApproved(tx, calls, row.id);
  await goOn(tx, turn);
  return { row, created: true };
}

/**
 * Puts a draft aside.
 * @throws AppError `agent_draft_not_found`, `agent_draft_closed`
 */
export async function dismissDraft(tx: Tx, id: number): Promise<void> {
  const draft = await lockOwned(tx, AgentDraft, "agent_draft", { id });
  if (draft.state === "dismissed") return;
  requireOpen(draft);
  await closeDraft(tx, draft, "dismissed");
  const { conversationId, contactId } = draft;
  await recordChange(tx, { kind: "conversation.updated", conversationId, contactId });
}

function requireOpen({ state }: AgentDraft): void {
  if (state !== "open") throw new AppError("agent_draft_closed", { details: { state } });
}

async function closeDraft(tx: Tx, { id }: AgentDraft, state: DraftState): Promise<void> {
  const decidedById = requireUserId(tx.actor);
  const decided = { state, openConversationId: null, decidedById, decidedAt: tx.now };
  await tx.manager.update(AgentDraft, id, decided);
}

/** The approved calls in the order of the draft. Ids of other calls are left out. */
async function listApproved(
  tx: Tx,
  { accountId, proposals }: AgentDraft,
  approvedIds: readonly number[],
): Promise<AgentToolCall[]> {
  const ids = proposals.map(({ id }) => id).filter((id) => approvedIds.includes(id));
  if (ids.length === 0) return [];
  return await tx.manager.find(AgentToolCall, {
    where: { accountId, id: In(ids) },
    order: { seq: "ASC", position: "ASC" },
  });
}

/** Makes the approved changes. @returns the texts that tell the customer of them. */
async function makeAll(
  tx: Tx,
  given: { turn: AgentTurn; conversation: Conversation; calls: AgentToolCall[] },
): Promise<string[]> {
  const { turn, conversation, calls } = given;
  if (calls.length === 0) return [];
  const settings = await getTurnSettings(tx, turn.id);
  for (const call of calls) {
    const refusal = await makeProposed(tx, call, { turn, conversation, settings });
    if (refusal === null) continue;
    const details = { proposal_id: call.id, reason: refusal.code };
    throw new AppError("proposal_refused", { details });
  }
  const told = await confirmationsOf(tx, calls, await readWords(tx, turn));
  return told.map(({ text }) => text);
}

async function markApproved(
  tx: Tx,
  calls: readonly AgentToolCall[],
  toldMessageId: number,
): Promise<void> {
  const ids = calls.filter(({ appointmentId }) => appointmentId !== null).map(({ id }) => id);
  if (ids.length > 0) await tx.manager.update(AgentToolCall, { id: In(ids) }, { toldMessageId });
}

/** The conversation with the agent goes on from the draft, as from a reply. */
async function goOn(tx: Tx, turn: AgentTurn): Promise<void> {
  const { accountId, id: turnId, conversationId } = turn;
  const step = await tx.manager.findOne(AgentStep, {
    where: { accountId, turnId, state: "done" },
    order: { seq: "DESC" },
  });
  const dialogue = step?.output?.kind === "reply" ? (step.output.dialogue ?? null) : null;
  const { language } = await readWords(tx, turn);
  const isNewer = await hasNewerMessage(tx, conversationId, turn.watermark);
  await storeProgress(tx, turn, { language, dialogue, isNewer });
  const offers = await findOffersOf(tx, turn);
  if (offers !== null) await storeOffers(tx, conversationId, offers);
}
