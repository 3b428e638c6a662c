import { z } from "zod";
import { restChannel } from "./channels.ts";
import { contactView, phoneInput } from "./contact.ts";
import { contentInput, messagingWindowView, messageView, templateInput } from "./message.ts";
import { stageView } from "./pipeline.ts";
import type { Principal } from "./principal.ts";
import { referralView } from "./referral.ts";
import { idParameter, pageParameters, recordId, timestamp, toWellFormed } from "./wire.ts";

/** Statuses of a conversation. Rule C28. */
export const conversationStatuses = ["active", "waiting", "resolved", "handed_off"] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

/** A conversation is open until it is resolved. */
export const openStatuses = conversationStatuses.filter((status) => status !== "resolved");

/** Statuses that PATCH takes. Only the bot call sets `handed_off`. Rule C23. */
export const settableStatuses = ["active", "waiting", "resolved"] as const;
export type SettableStatus = (typeof settableStatuses)[number];

/** Values of `source` in conversation events. Rule C43. */
export const conversationSources = ["conversation", "api", "panel", "agent", "system"] as const;
export type ConversationSource = (typeof conversationSources)[number];

/**
 * The `source` of a conversation event caused by this principal. An import counts as `panel`, since
 * the Dashboard starts imports.
 */
export function conversationSource(principal: Principal): ConversationSource {
  switch (principal.type) {
    case "contact":
      return "conversation";
    case "user":
    case "import":
    case "calendar":
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

/** Reason of a pause by a person's reply, as events and the inbox carry it. */
export const humanReply = "human_reply";

/** The two columns of a conversation's state. Each is compared by itself. */
export interface ConversationState {
  status: ConversationStatus;
  botEnabled: boolean;
}

/** Triggers that can change a conversation's state. */
export type ConversationTrigger =
  | { type: "bot"; enabled: boolean }
  | { type: "status"; status: SettableStatus }
  /** POST /conversations reuses an older conversation. */
  | { type: "reopen" }
  /** A customer writes; `botDefault` is the channel's. */
  | { type: "customer_wrote"; botDefault: boolean };

/** Effects of a trigger. Where all flags are false nothing changed, and nothing is published. */
export interface Transition {
  next: ConversationState;
  statusChanged: boolean;
  /** The status became `resolved`. */
  closed: boolean;
  botChanged: boolean;
  /** A person takes over from now on. */
  handoffStarted: boolean;
  handoffEnded: boolean;
  /** `bot_epoch` grows: work that the AI agent began before is dropped. */
  epochGrows: boolean;
}

/** The state table of a conversation. Rules C23, C28, C29 and C33. */
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
        // A customer who comes back after the end meets the agent again, where the channel has it
        // on.
        ...(status === "resolved" && trigger.botDefault ? { botEnabled: true } : {}),
      };
  }
}

function isAtRest(status: ConversationStatus): boolean {
  return status === "waiting" || status === "resolved";
}

const maxReasonLength = 500;

/** Reason of a pause of the agent, as people read it. An empty reason is none. */
export const reasonInput = z
  .string()
  .trim()
  .max(maxReasonLength, `Use at most ${maxReasonLength} characters.`)
  .overwrite(toWellFormed)
  .transform((text) => (text === "" ? undefined : text));

/** Query of GET /conversations. Unknown parameters are ignored. Rules C14 and C21. */
export const conversationListQuery = z.object({
  status: z
    .enum(conversationStatuses, oneOf(conversationStatuses))
    .optional()
    .describe("Conversations in this status."),
  channel: restChannel.optional().describe("Conversations on this channel."),
  contact_id: idParameter.optional().describe("Conversations of one contact."),
  ...pageParameters,
});

/** Body of POST /conversations. Rule C22. */
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
  channel_account_id: recordId
    .optional()
    .describe(
      "Your WhatsApp number. Without one: that of the newest conversation, else the first.",
    ),
});
export type ConversationOpenBody = z.output<typeof conversationOpenBody>;

/** Body of PATCH /conversations/:id. Rule C23. */
export const conversationPatchBody = z.strictObject({
  status: z.enum(settableStatuses, {
    error: ({ input }) =>
      input === "handed_off"
        ? "Hand over with POST /conversations/:id/bot and enabled: false."
        : oneOf(settableStatuses),
  }),
});

/** Body of POST /conversations/:id/bot. Rule C29. */
export const botBody = z.strictObject({
  enabled: z.boolean().describe("`true` activates the AI agent, `false` pauses it."),
  reason: reasonInput
    .optional()
    .describe("Visible in the inbox. Another reason replaces the one shown."),
});

function oneOf(values: readonly string[]): string {
  return `Use one of ${values.join(", ")}.`;
}

/** A conversation in lists. */
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

/** A conversation read alone: the members of a row, and more. */
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
  referral: referralView
    .nullable()
    .describe("The ad, post or link by which the customer came last; null before."),
  messaging_window: messagingWindowView,
});
export type ConversationView = z.output<typeof conversationView>;

/** Answer of POST /conversations/:id/bot. Rule C29. */
export const botView = z.strictObject({ conversation_id: recordId, bot_enabled: z.boolean() });

/** Answer of POST /conversations. */
export const openedConversationView = conversationView.extend({
  created: z.boolean().describe("Whether the conversation is new."),
  initial_message: messageView.nullable(),
});
