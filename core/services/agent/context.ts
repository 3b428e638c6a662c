import { In } from "typeorm";
import type { Account } from "../../../db/entities/account.ts";
import { AgentDraft } from "../../../db/entities/agent-draft.ts";
import {
  type AgentConversation,
  AgentStep,
  AgentToolCall,
  type AgentTurn,
} from "../../../db/entities/agent-turn.ts";
import type { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { burstOf, isWritten } from "../../agent/basic/reading.ts";
import type { Dialogue } from "../../agent/basic/dialogue.ts";
import { detectLanguage } from "../../agent/basic/language.ts";
import type {
  AgentContext,
  ContextMessage,
  KnowledgeHit,
  SlotChoice,
  SlotOffer,
  UntoldEffect,
} from "../../agent/context.ts";
import { readSlotOptionId } from "../../agent/slot-options.ts";
import { toolNames, type ToolName, type ToolRound } from "../../agent/tools.ts";
import { agentSettings, optionalTools, type AgentSettings } from "../../model/agent.ts";
import { readSentInteractive } from "../../model/interactive.ts";
import { dayMs } from "../../model/durations.ts";
import { listOpenRanges } from "../../model/opening-hours.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { companyOf } from "../accounts/accounts.ts";
import { readAnswered } from "../conversations/agent-messages.ts";
import { saidIn } from "../conversations/options.ts";
import { findConversationSite } from "./visitor-site.ts";
import { readItems, searchKnowledge } from "./knowledge-index.ts";
import { offerMs } from "./tools/slots.ts";
import { listUntold, type Untold } from "./told-effects.ts";

/** Messages that a step sees. */
const maxMessages = 30;
const maxAhead = 10;

/** All that a step of a turn may know. */
interface LoadedContext {
  context: AgentContext;
  /** Settings with which the turn began. */
  settings: AgentSettings;
  /** Effects of which the customer was not told, those of this turn too. */
  untold: Untold[];
  /** Language that the conversation has so far. */
  storedLanguage: Locale | null;
}

/** Reads all that a step of a turn may know. */
export async function loadContext(tx: Tx, turn: AgentTurn): Promise<LoadedContext> {
  const { conversationId } = turn;
  const facts = await loadFacts(tx, turn);
  const { name, timeZone, phone, email } = facts;
  const settings = agentSettings.parse(facts.settings);
  const answeredUpTo = await readAnswered(tx, turn);
  const { messages, rows, ends } = await loadMessages(tx, turn, answeredUpTo);
  const spoken = { rows, ends };
  const dialogue = (await isInDialogue(tx, turn, spoken)) ? facts.dialogue : null;
  const maySayAgain = dialogue === null && mayAskAgain(spoken, facts.dialogue, tx.now);
  const interrupted = maySayAgain ? facts.dialogue : null;
  const burst = burstOf({ messages: messages.filter(isWritten), answeredUpTo });
  const locale = asLocale(facts.locale);
  const language = detectLanguage(burst, facts.language, locale);
  const untold = await listUntold(tx, turn, { language, timeZone });
  const { address } = companyOf({ name, settings: facts.accountSettings });
  const site = facts.channel === "web" ? await findConversationSite(tx, conversationId) : undefined;
  const context: AgentContext = {
    account: { name, timeZone, locale, address },
    // A person sends a draft, so that it introduces no assistant.
    persona: turn.mode === "draft" ? { ...settings.persona, introduces: false } : settings.persona,
    now: tx.now,
    teamIsOpen: isTeamOpen(settings, timeZone, tx.now),
    ...(await loadOffer(tx)),
    stages: await loadStages(tx, settings.allowed_stage_ids),
    contact: { name: facts.contactName, phone, email },
    ...(site === undefined ? {} : { site }),
    appointments: await loadAppointments(tx, conversationId),
    messages,
    answeredUpTo,
    knowledge: await loadKnowledge(tx, burst, language),
    offeredItems: await readItems(tx, dialogue?.slots.itemIds ?? []),
    offers: offersOf(facts, tx.now),
    untold: earlierEffects(untold, turn),
    language,
    dialogue,
    ...(interrupted === null ? {} : { interrupted }),
    tools: allowedTools(settings),
    rounds: turn.calls === 0 ? [] : await loadRounds(tx, turn.id),
  };
  return { context, settings, untold, storedLanguage: facts.language };
}

/** Facts of a turn that one row has each. */
interface TurnFacts
  extends
    Pick<Account, "name" | "timeZone" | "locale">,
    Pick<Contact, "phone" | "email">,
    Pick<Conversation, "channel">,
    Pick<AgentConversation, "language" | "dialogue" | "offers" | "offeredAt"> {
  accountSettings: unknown;
  /** Of the agent's version. */
  settings: unknown;
  contactName: Contact["name"];
}

/** One statement, because each step of a turn reads them. */
async function loadFacts(
  { manager }: Tx,
  { accountId, conversationId, contactId, settingsNumber }: AgentTurn,
): Promise<TurnFacts> {
  const [row] = await manager.query<TurnFacts[]>(
    `SELECT a.name, a.time_zone AS timeZone, a.locale, a.settings AS accountSettings, s.settings,
            t.name AS contactName, t.phone, t.email, v.channel, k.language, k.dialogue, k.offers,
            k.offered_at AS offeredAt
       FROM accounts a
       JOIN agent_versions s ON s.account_id = a.id AND s.number = ?
       JOIN contacts t ON t.account_id = a.id AND t.id = ?
       JOIN conversations v ON v.account_id = a.id AND v.id = ?
       LEFT JOIN agent_conversations k ON k.account_id = a.id AND k.conversation_id = v.id
      WHERE a.id = ?`,
    [settingsNumber, contactId, conversationId, accountId],
  );
  if (row === undefined) throw new Error("The turn has lost its conversation.");
  return row;
}

/** The customer's messages up to the watermark, and all of ours, so that nothing is said twice. */
async function loadMessages(
  { manager, now }: Tx,
  { accountId, conversationId, watermark }: AgentTurn,
  answeredUpTo: number,
): Promise<Spoken & { messages: ContextMessage[] }> {
  const rows = await manager.query<MessageRow[]>(
    `SELECT id, direction, type, content, interactive, sender_type AS senderType, status,
            created_at AS createdAt, imported, bot_epoch AS botEpoch
       FROM messages
      WHERE account_id = ? AND conversation_id = ? AND (id <= ? OR direction = 'outbound')
      ORDER BY created_at DESC, id DESC LIMIT ${maxMessages}`,
    [accountId, conversationId, watermark],
  );
  const ends = await manager.query<{ createdAt: Date }[]>(
    `SELECT created_at AS createdAt FROM conversation_notes
      WHERE account_id = ? AND conversation_id = ? AND kind = 'status_changed'
        AND created_at > ? AND params->>'$.to' = 'resolved'
      ORDER BY id DESC LIMIT ${maxMessages}`,
    [accountId, conversationId, rows.at(-1)?.createdAt ?? now],
  );
  const dividers = ends.map(({ createdAt: at }): ContextMessage => {
    return { id: 0, speaker: "divider", text: "", at };
  });
  const messages = rows.filter(({ status }) => canReach(status)).map(presentMessage);
  const inTime = [...messages, ...dividers].toSorted(
    (a, b) => a.at.getTime() - b.at.getTime() || a.id - b.id,
  );
  return { messages: placeLateReplies(inTime, { watermark, answeredUpTo }), rows, ends };
}

/** Rows of the newest messages, and ends of the conversation among them. */
interface Spoken {
  rows: readonly MessageRow[];
  ends: readonly { createdAt: Date }[];
}

/**
 * True where the customer answers the agent's last reply, so that its dialogue goes on. A "yes" to
 * somebody else confirms nothing, nor does one after a pause or after the end of the conversation.
 * A draft also goes on from a draft that a person has sent.
 */
async function isInDialogue(
  tx: Tx,
  { accountId, contactId, watermark, mode, epoch }: AgentTurn,
  { rows, ends }: Spoken,
): Promise<boolean> {
  // A reply of the agent that failed has changed the dialogue, and the customer never saw it.
  const ours = rows.filter(
    ({ id, direction, senderType, status, imported }) =>
      direction === "outbound" &&
      !imported &&
      (senderType === "ai" || canReach(status)) &&
      (senderType !== "system" || id < watermark),
  );
  const last = ours.reduce<MessageRow | null>((a, b) => (a !== null && a.id > b.id ? a : b), null);
  if (last === null || !canReach(last.status)) return false;
  if (ends.some(({ createdAt }) => createdAt >= last.createdAt)) return false;
  if (last.senderType === "ai") return mode === "draft" || last.botEpoch === epoch;
  const where = { accountId, contactId, messageId: last.id };
  return mode === "draft" && (await tx.manager.existsBy(AgentDraft, where));
}

/**
 * True where the agent has written within a day, so that its question may be asked again. The end of
 * the conversation settles the question. A yes behind a reminder means the appointment, and asks for
 * no cancellation.
 */
function mayAskAgain({ rows, ends }: Spoken, dialogue: Dialogue | null, now: Date): boolean {
  const last = rows.find(({ senderType }) => senderType === "ai");
  const newest = rows.find(({ direction }) => direction === "outbound");
  if (newest?.senderType === "system" && dialogue?.flow === "cancel") return false;
  if (last === undefined || now.getTime() - last.createdAt.getTime() >= dayMs) return false;
  return ends.every(({ createdAt }) => createdAt < last.createdAt);
}

/** True for a message that has reached the customer, or still may. */
function canReach(status: Message["status"]): boolean {
  return status !== "cancelled" && status !== "failed";
}

/**
 * Places replies of the agent that were committed beside newer messages before those messages,
 * which they do not answer.
 */
function placeLateReplies(
  messages: readonly ContextMessage[],
  { watermark, answeredUpTo }: { watermark: number; answeredUpTo: number },
): ContextMessage[] {
  const isLate = ({ id, speaker }: ContextMessage) => speaker === "agent" && id > watermark;
  const others = messages.filter((one) => !isLate(one));
  const open = others.findIndex(({ id, speaker }) => speaker === "customer" && id > answeredUpTo);
  return open === -1 ? [...messages] : others.toSpliced(open, 0, ...messages.filter(isLate));
}

type MessageRow = Pick<
  Message,
  | "id"
  | "direction"
  | "type"
  | "content"
  | "interactive"
  | "senderType"
  | "status"
  | "createdAt"
  | "imported"
  | "botEpoch"
>;

function presentMessage(row: MessageRow): ContextMessage {
  const isInbound = row.direction === "inbound";
  const said =
    (isInbound ? saidIn(row) : row.content) ?? (row.type === "text" ? "" : `[${row.type}]`);
  const text = `${said}${optionsOf(row)}`;
  const slot = slotOf(row);
  const chosen = slot === null ? {} : { slot };
  return { id: row.id, speaker: speakerOf(row), text, at: row.createdAt, ...chosen };
}

/** The slot of the option that the customer tapped, or named by its number. */
function slotOf({ direction, interactive }: MessageRow): SlotChoice | null {
  if (direction !== "inbound" || interactive === null || !("id" in interactive)) return null;
  return typeof interactive.id === "string" ? readSlotOptionId(interactive.id) : null;
}

/** Titles of the options of our own message, where the text does not list them. */
function optionsOf({ interactive }: MessageRow): string {
  const sent = readSentInteractive(interactive);
  if (sent === null || sent.sent_as === "text") return "";
  return `\n[${sent.options.map(({ title }) => title).join(" | ")}]`;
}

function speakerOf({ senderType }: MessageRow): ContextMessage["speaker"] {
  switch (senderType) {
    case "contact":
      return "customer";
    case "ai":
      return "agent";
    case "user":
    case "api":
    case "system":
      return "person";
  }
}

function isTeamOpen({ team_hours: hours }: AgentSettings, timeZone: string, now: Date): boolean {
  if (hours === null) return true;
  const at = now.getTime();
  return listOpenRanges(timeZone, hours, { start: at, end: at + 1 }).length > 0;
}

/** Services and resources that can be booked. */
async function loadOffer({
  manager,
  actor: { accountId },
}: Tx): Promise<Pick<AgentContext, "services" | "resources">> {
  const given = await manager.query<ServiceRow[]>(
    `SELECT s.id, s.name, s.duration_minutes AS durationMinutes, g.resource_id AS resourceId
       FROM services s
       LEFT JOIN service_resources g ON g.service_id = s.id AND g.account_id = s.account_id
      WHERE s.account_id = ? AND s.archived_at IS NULL ORDER BY s.id`,
    [accountId],
  );
  const resources = await manager.query<AgentContext["resources"]>(
    `SELECT id, name, time_zone AS timeZone, weekly_hours AS weeklyHours
       FROM resources WHERE account_id = ? AND archived_at IS NULL ORDER BY id`,
    [accountId],
  );
  const named = (serviceId: number) => given.filter(({ id }) => id === serviceId);
  const services = given
    .filter(({ id }, index) => given[index - 1]?.id !== id)
    .map(({ id, name, durationMinutes, resourceId }) => {
      const ids = named(id).map((one) => one.resourceId);
      // A service that names no resource is given by all of them.
      const givers =
        resourceId === null ? resources : resources.filter((one) => ids.includes(one.id));
      return { id, name, durationMinutes, resourceIds: givers.map((one) => one.id) };
    });
  return { services, resources };
}

/** A service, once for each resource that it names. */
interface ServiceRow extends Pick<Service, "id" | "name" | "durationMinutes"> {
  resourceId: number | null;
}

async function loadStages(tx: Tx, ids: readonly number[]): Promise<AgentContext["stages"]> {
  if (ids.length === 0) return [];
  return await tx.manager.query<{ id: number; name: string }[]>(
    "SELECT id, name FROM pipeline_stages WHERE account_id = ? AND id IN (?) ORDER BY id",
    [tx.actor.accountId, ids],
  );
}

/** Appointments ahead of this conversation. The customer's identity is not verified beyond it. */
async function loadAppointments(
  tx: Tx,
  conversationId: number,
): Promise<AgentContext["appointments"]> {
  return await tx.manager.query<AgentContext["appointments"]>(
    `SELECT id, service_id AS serviceId, resource_id AS resourceId, start_time AS startTime,
            end_time AS endTime
       FROM appointments
      WHERE account_id = ? AND conversation_id = ? AND status = 'confirmed' AND start_time > ?
      ORDER BY start_time, id LIMIT ${maxAhead}`,
    [tx.actor.accountId, conversationId, tx.now],
  );
}

async function loadKnowledge(tx: Tx, burst: string, language: Locale): Promise<KnowledgeHit[]> {
  return burst.trim() === "" ? [] : await searchKnowledge(tx, burst, language);
}

function offersOf(
  { offers, offeredAt }: Pick<AgentConversation, "offers" | "offeredAt">,
  now: Date,
): SlotOffer[] {
  if (offers === null || offeredAt === null) return [];
  if (now.getTime() - offeredAt.getTime() > offerMs) return [];
  return offers.map(({ ref, start, service_id: serviceId, resource_id: resourceId }) => {
    return { ref, startTime: new Date(start), serviceId, resourceId };
  });
}

/** Effects of earlier turns: those of this turn stand in its rounds. */
function earlierEffects(untold: readonly Untold[], turn: AgentTurn): UntoldEffect[] {
  return untold
    .filter(({ call }) => call.turnId !== turn.id)
    .map(({ call, text }) => ({ tool: call.tool as ToolName, text }));
}

async function loadRounds(tx: Tx, turnId: number): Promise<ToolRound[]> {
  const { accountId } = tx.actor;
  const steps = await tx.manager.find(AgentStep, {
    where: { accountId, turnId, state: In(["done"]) },
    order: { seq: "ASC" },
  });
  const calls = await tx.manager.find(AgentToolCall, {
    where: { accountId, turnId },
    order: { seq: "ASC", position: "ASC" },
  });
  return steps.flatMap(({ seq, output }) => {
    if (output?.kind !== "calls") return [];
    const made = calls.filter((call) => call.seq === seq);
    return [
      {
        text: output.text,
        calls: made.flatMap(({ callId, tool, input, result }) =>
          result === null ? [] : [{ callId, tool, input, result }],
        ),
      },
    ];
  });
}

/** Tools that a conversation has: all that only read, and those that the account allows. */
function allowedTools({ tools, allowed_stage_ids: stages }: AgentSettings): ToolName[] {
  const refused = new Set<string>(optionalTools.filter((tool) => !tools.includes(tool)));
  if (stages.length === 0) refused.add("move_stage");
  return toolNames.filter((tool) => !refused.has(tool));
}
