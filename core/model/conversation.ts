import { z } from "zod";
import { restChannel } from "./channels.ts";
import { contactView, phoneInput } from "./contact.ts";
import { contentInput, messageView, templateInput } from "./message.ts";
import { stageView } from "./pipeline.ts";
import type { Principal } from "./principal.ts";
import { idParameter, pageParameters, recordId, timestamp, toWellFormed } from "./wire.ts";

/** Statuses of a conversation. Source: contract, Conversation status values. */
export const conversationStatuses = ["active", "waiting", "resolved", "handed_off"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

/** A conversation is open until it is resolved. Our choice. */
export const openStatuses = conversationStatuses.filter((status) => status !== "resolved");

/** Statuses that PATCH takes: `handed_off` is reached through the bot call alone. Source: contract. */
export const settableStatuses = ["active", "waiting", "resolved"] as const;
export type SettableStatus = (typeof settableStatuses)[number];

/** Who made a conversation change, as its events say. Our choice. */
export const conversationSources = ["conversation", "api", "panel", "agent", "system"] as const;
export type ConversationSource = (typeof conversationSources)[number];

/** The `source` of a conversation event caused by this principal; an import counts as the Dashboard it was started in. */
export function conversationSource(principal: Principal): ConversationSource {
  switch (principal.type) {
    case "contact":
      return "conversation";
    case "user":
    case "import":
      return "panel";
    case "api_key":
    case "inbound_endpoint":
      return "api";
    case "agent":
      return "agent";
    case "system":
      return "system";
  }
}

/** Reason of a pause by a person's reply, as events and the inbox carry it. Our choice. */
export const humanReply = "human_reply";

/** The two columns that say how a conversation stands. Each is judged for itself. */
export interface ConversationState {
  status: ConversationStatus;
  botEnabled: boolean;
}

/** What can happen to a conversation's state. */
export type ConversationTrigger =
  | { type: "bot"; enabled: boolean }
  | { type: "status"; status: SettableStatus }
  /** POST /conversations reuses an older one. */
  | { type: "reopen" }
  /** A customer writes; `botDefault` is the channel's. */
  | { type: "customer_wrote"; botDefault: boolean };

/** What follows from a trigger. Everything false means that nothing changed and nobody is told. */
export interface Transition {
  next: ConversationState;
  statusChanged: boolean;
  /** The status became `resolved`. */
  closed: boolean;
  botChanged: boolean;
  /** A person takes over from here on. */
  handoffStarted: boolean;
  handoffEnded: boolean;
  /** `bot_epoch` grows: what the AI agent began before counts no more. */
  epochGrows: boolean;
}

/** The state table of a conversation. Source: contract, States and transitions; what it leaves open is our choice. */
export function transition(now: ConversationState, trigger: ConversationTrigger): Transition {
  const next = { ...now, ...nextState(now, trigger) };
  const botChanged = next.botEnabled !== now.botEnabled;
  const statusChanged = next.status !== now.status;
  const handoffStarted = statusChanged && next.status === "handed_off";
  return {
    next,
    statusChanged,
    closed: statusChanged && next.status === "resolved",
    botChanged,
    handoffStarted,
    handoffEnded: statusChanged && now.status === "handed_off",
    epochGrows: botChanged || handoffStarted,
  };
}

function nextState(
  { status }: ConversationState,
  trigger: ConversationTrigger,
): Partial<ConversationState> {
  switch (trigger.type) {
    case "bot":
      if (!trigger.enabled) return { status: "handed_off", botEnabled: false };
      return { botEnabled: true, ...(status === "handed_off" ? { status: "active" } : {}) };
    case "status":
      return { status: trigger.status };
    case "reopen":
      return isAtRest(status) ? { status: "active" } : {};
    case "customer_wrote":
      return {
        ...(isAtRest(status) ? { status: "active" } : {}),
        // Whoever comes back after the end meets the agent again, where the channel has one.
        ...(status === "resolved" && trigger.botDefault ? { botEnabled: true } : {}),
      };
  }
}

function isAtRest(status: ConversationStatus): boolean {
  return status === "waiting" || status === "resolved";
}

const maxReasonLength = 500;

/** Why the agent was paused, as people read it. An empty one is none. */
export const reasonInput = z
  .string()
  .trim()
  .max(maxReasonLength, `Use at most ${maxReasonLength} characters.`)
  .overwrite(toWellFormed)
  .transform((text) => (text === "" ? undefined : text));

/** Query of GET /conversations. Unknown parameters are ignored. Source: contract, Conversations. */
export const conversationListQuery = z.object({
  status: z
    .enum(conversationStatuses, oneOf(conversationStatuses))
    .optional()
    .describe("Conversations in this status."),
  channel: restChannel.optional().describe("Conversations on this channel."),
  contact_id: idParameter.optional().describe("Conversations of one contact."),
  ...pageParameters,
});

/** Body of POST /conversations. Source: contract, Conversations; `template` is ours. */
export const conversationOpenBody = z.strictObject({
  phone: phoneInput,
  name: z
    .string()
    .trim()
    .max(200, "Use at most 200 characters.")
    .overwrite(toWellFormed)
    .optional()
    .describe("Used when the contact is new."),
  initial_message: contentInput.optional().describe("Sent when opening."),
  template: templateInput
    .optional()
    .describe("Sent in place of the text where the channel's window is closed."),
});
export type ConversationOpenBody = z.output<typeof conversationOpenBody>;

/** Body of PATCH /conversations/:id. Source: contract, Conversations. */
export const conversationPatchBody = z.strictObject({
  status: z.enum(settableStatuses, {
    error: ({ input }) =>
      input === "handed_off"
        ? "Hand over with POST /conversations/:id/bot and enabled: false."
        : oneOf(settableStatuses),
  }),
});

/** Body of POST /conversations/:id/bot. Source: contract, Conversations. */
export const botBody = z.strictObject({
  enabled: z.boolean().describe("`true` activates the AI agent, `false` pauses it."),
  reason: reasonInput
    .optional()
    .describe("Visible in the inbox. Another reason replaces the one shown."),
});

function oneOf(values: readonly string[]): string {
  return `Use one of ${values.join(", ")}.`;
}

/** A conversation in lists: exactly the contract's fields. Source: contract, Conversation. */
export const conversationRow = z.strictObject({
  id: recordId,
  contact_id: recordId,
  channel: restChannel,
  status: z.enum(conversationStatuses),
  bot_enabled: z.boolean().describe("`false` while the AI agent is paused."),
  assigned_to_user_id: recordId.nullable(),
  last_message_at: timestamp.describe("`created_at` before the first message."),
  created_at: timestamp,
});
export type ConversationRow = z.output<typeof conversationRow>;

/** A conversation read alone. What goes beyond the row is our choice. */
export const conversationView = conversationRow.extend({
  updated_at: timestamp,
  contact: contactView,
  handoff: z
    .strictObject({
      reason: z.string().nullable(),
      source: z.enum(conversationSources),
      actor_user_id: recordId.nullable(),
      at: timestamp,
    })
    .nullable()
    .describe("Why and by whom it was handed to a person; null in every other status."),
  stage: stageView
    .nullable()
    .describe("Where the customer was moved last, in any pipeline; null before."),
  messaging_window: z.strictObject({
    open: z.boolean(),
    expires_at: timestamp
      .nullable()
      .describe("Null where the channel has no window, or the customer has yet to write."),
  }),
});
export type ConversationView = z.output<typeof conversationView>;

/** What POST /conversations/:id/bot answers. */
export const botView = z.strictObject({ conversation_id: recordId, bot_enabled: z.boolean() });

/** What POST /conversations answers. */
export const openedConversationView = conversationView.extend({
  created: z.boolean().describe("Whether the conversation is new."),
  initial_message: messageView.nullable(),
});
