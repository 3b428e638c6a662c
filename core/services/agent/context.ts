import { In, IsNull, LessThanOrEqual, MoreThan } from "typeorm";
import {
  AgentConversation,
  AgentStep,
  AgentToolCall,
  type AgentTurn,
} from "../../../db/entities/agent-turn.ts";
import { Appointment } from "../../../db/entities/appointment.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { ConversationNote } from "../../../db/entities/conversation.ts";
import { Message } from "../../../db/entities/message.ts";
import { Resource, Service, ServiceResource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { burstOf, isWritten } from "../../agent/basic/reading.ts";
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
import { optionalTools, type AgentSettings } from "../../model/agent.ts";
import { readSentInteractive } from "../../model/interactive.ts";
import { listOpenRanges } from "../../model/opening-hours.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import { companyOf, getAccount } from "../accounts/accounts.ts";
import { findConversationSite } from "./visitor-site.ts";
import { readItems, searchKnowledge } from "./knowledge-index.ts";
import { offerMs } from "./tools/slots.ts";
import { listUntold, type Untold } from "./told-effects.ts";

/** Messages that a step sees. */
const maxMessages = 30;
const maxAhead = 10;

/**
 * Reads all that a step of a turn may know. `untold` has the effects of which the customer was not
 * told, those of this turn too.
 */
export async function loadContext(
  tx: Tx,
  turn: AgentTurn,
  settings: AgentSettings,
): Promise<{ context: AgentContext; untold: Untold[] }> {
  const account = await getAccount(tx);
  const { address } = companyOf(account);
  const { accountId, conversationId } = turn;
  const known = await tx.manager.findOneBy(AgentConversation, { accountId, conversationId });
  const messages = await loadMessages(tx, turn);
  const answeredUpTo = Math.max(known?.answeredUpTo ?? 0, answeredByPeople(turn, messages));
  const burst = burstOf({ messages: messages.filter(isWritten), answeredUpTo });
  const accountLocale = asLocale(account.locale);
  const language = detectLanguage(burst, known?.language ?? null, accountLocale);
  const contact = await tx.manager.findOneByOrFail(Contact, { accountId, id: turn.contactId });
  const { name, phone, email } = contact;
  const { timeZone } = account;
  const untold = await listUntold(tx, turn, { language, timeZone });
  const site = await findConversationSite(tx, conversationId);
  const context: AgentContext = {
    account: { name: account.name, timeZone, locale: accountLocale, address },
    // A person sends a draft, so that it introduces no assistant.
    persona: turn.mode === "draft" ? { ...settings.persona, introduces: false } : settings.persona,
    now: tx.now,
    teamIsOpen: isTeamOpen(settings, timeZone, tx.now),
    ...(await loadOffer(tx)),
    stages: await loadStages(tx, settings.allowed_stage_ids),
    contact: { name, phone, email },
    ...(site === undefined ? {} : { site }),
    appointments: await loadAppointments(tx, conversationId),
    messages,
    answeredUpTo,
    knowledge: await loadKnowledge(tx, burst, language),
    offeredItems: await readItems(tx, known?.dialogue?.slots.itemIds ?? []),
    offers: offersOf(known, tx.now),
    untold: earlierEffects(untold, turn),
    language,
    dialogue: known?.dialogue ?? null,
    tools: allowedTools(settings),
    rounds: turn.calls === 0 ? [] : await loadRounds(tx, turn.id),
  };
  return { context, untold };
}

async function loadMessages(tx: Tx, { accountId, conversationId, watermark }: AgentTurn) {
  const rows = await tx.manager.find(Message, {
    where: { accountId, conversationId, id: LessThanOrEqual(watermark) },
    order: { createdAt: "DESC", id: "DESC" },
    take: maxMessages,
  });
  const since = rows.at(-1)?.createdAt ?? tx.now;
  const notes = await tx.manager.find(ConversationNote, {
    where: { accountId, conversationId, kind: "status_changed", createdAt: MoreThan(since) },
    order: { id: "DESC" },
    take: maxMessages,
  });
  const dividers = notes
    .filter(({ params }) => params?.["to"] === "resolved")
    .map((note): ContextMessage => {
      return { id: 0, speaker: "divider", text: "", at: note.createdAt };
    });
  const messages = rows
    .filter(({ status }) => status !== "cancelled" && status !== "failed")
    .map(presentMessage);
  return [...messages, ...dividers].toSorted(
    (a, b) => a.at.getTime() - b.at.getTime() || a.id - b.id,
  );
}

/** A draft answers the messages since the last answer of a person. */
function answeredByPeople({ mode }: AgentTurn, messages: readonly ContextMessage[]): number {
  if (mode !== "draft") return 0;
  return messages.findLast(({ speaker }) => speaker === "person")?.id ?? 0;
}

function presentMessage(row: Message): ContextMessage {
  const text = `${row.content ?? (row.type === "text" ? "" : `[${row.type}]`)}${optionsOf(row)}`;
  const slot = slotOf(row);
  const chosen = slot === null ? {} : { slot };
  return { id: row.id, speaker: speakerOf(row), text, at: row.createdAt, ...chosen };
}

/** The slot of the option that the customer tapped, or named by its number. */
function slotOf({ direction, interactive }: Message): SlotChoice | null {
  if (direction !== "inbound" || interactive === null || !("id" in interactive)) return null;
  return typeof interactive.id === "string" ? readSlotOptionId(interactive.id) : null;
}

/** Titles of the options of our own message, where the text does not list them. */
function optionsOf({ interactive }: Message): string {
  const sent = readSentInteractive(interactive);
  if (sent === null || sent.sent_as === "text") return "";
  return `\n[${sent.options.map(({ title }) => title).join(" | ")}]`;
}

function speakerOf({ senderType }: Message): ContextMessage["speaker"] {
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
async function loadOffer(tx: Tx): Promise<Pick<AgentContext, "services" | "resources">> {
  const mine = { accountId: tx.actor.accountId };
  const open = { where: { ...mine, archivedAt: IsNull() }, order: { id: "ASC" } } as const;
  const services = await tx.manager.find(Service, open);
  const resources = await tx.manager.find(Resource, open);
  const givers = await tx.manager.findBy(ServiceResource, mine);
  return {
    services: services.map(({ id, name, durationMinutes }) => {
      const named = givers.filter(({ serviceId }) => serviceId === id);
      // A service that names no resource is given by all of them.
      const ids = (
        named.length === 0
          ? resources
          : resources.filter((one) => named.some(({ resourceId }) => resourceId === one.id))
      ).map((one) => one.id);
      return { id, name, durationMinutes, resourceIds: ids };
    }),
    resources: resources.map(({ id, name, timeZone, weeklyHours }) => {
      return { id, name, timeZone, weeklyHours };
    }),
  };
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
  const rows = await tx.manager.find(Appointment, {
    where: {
      accountId: tx.actor.accountId,
      conversationId,
      status: "confirmed",
      startTime: MoreThan(tx.now),
    },
    order: { startTime: "ASC", id: "ASC" },
    take: maxAhead,
  });
  return rows.map(({ id, serviceId, resourceId, startTime, endTime }) => {
    return { id, serviceId, resourceId, startTime, endTime };
  });
}

async function loadKnowledge(tx: Tx, burst: string, language: Locale): Promise<KnowledgeHit[]> {
  return burst.trim() === "" ? [] : await searchKnowledge(tx, burst, language);
}

function offersOf(known: AgentConversation | null, now: Date): SlotOffer[] {
  const { offers = null, offeredAt = null } = known ?? {};
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
