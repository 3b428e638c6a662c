import { channelReasons, nextSteps } from "./channel-reasons.ts";

/** Kinds of notification. */
export const notificationKinds = [
  "delivery_discarded",
  "delivery_exhausted_warning",
  "subscription_disabled",
  "conversation_handed_off",
  "handoff_reminder",
  "handoff_escalation",
  "calendar_disconnected",
  "message_received",
  "conversation_assigned",
  "mentioned",
  "appointment_booked",
  "appointment_overlaps",
  "agent_budget",
  "agent_provider_failing",
  "channel_trouble",
  "channel_token_expiring",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

type Params = Record<string, string | number | null>;

/**
 * Title and body of a notification, in English, made from its kind and params.
 * @param contactName name of the contact, or of the customer of the appointment; null without one.
 */
export function renderNotification(
  kind: NotificationKind,
  params: Params,
  contactName: string | null,
): { title: string; body: string } {
  const subscription = String(params["subscription_name"] ?? "a subscription");
  const eventType = String(params["event_type"] ?? "event");
  const last = lastAnswer(params);
  const customer = contactName ?? "A customer";
  switch (kind) {
    case "delivery_discarded":
      return {
        title: `${eventType} to ${subscription} was discarded`,
        body: `All ${params["attempts"] ?? 6} attempts failed; the last one: ${last}. The event stays in the delivery log.`,
      };
    case "delivery_exhausted_warning":
      return {
        title: `${subscription} has failed all attempts of ${eventType}`,
        body: `The last one: ${last}. The delivery is discarded at ${params["discard_at"] ?? "the end of the last wait"} unless a retry succeeds before. Mend the receiver, then choose "Retry now" on the delivery.`,
      };
    case "subscription_disabled":
      return {
        title: `${subscription} was disabled`,
        body: `${disabledWords(params)} New events are skipped, open deliveries are held. Mend the receiver, then set its state to active.`,
      };
    case "conversation_handed_off":
      return {
        title: `${customer} needs a person`,
        body: "The AI agent is paused in the conversation. Open the conversation and answer.",
      };
    case "handoff_reminder":
      return {
        title: `${customer} is still waiting for a person`,
        body: "Nobody has answered since the AI agent was paused.",
      };
    case "handoff_escalation":
      return {
        title: `${customer} was left without an answer`,
        body: "The people who attend it were reminded. Answer it, or assign it to someone else.",
      };
    case "calendar_disconnected":
      return {
        title: `The calendar of ${params["resource_name"] ?? params["email"] ?? "a resource"} is disconnected`,
        body: `${calendarCause(params)} Appointments no longer appear there. Connect it anew.`,
      };
    case "agent_budget":
    case "agent_provider_failing":
      return renderAgentNotice(kind, params);
    case "channel_trouble":
    case "channel_token_expiring":
      return renderChannelNotice(kind, params);
    case "message_received":
    case "conversation_assigned":
    case "mentioned":
    case "appointment_booked":
    case "appointment_overlaps":
      return renderNews(kind, params, contactName);
  }
}

function renderAgentNotice(
  kind: "agent_budget" | "agent_provider_failing",
  params: Params,
): { title: string; body: string } {
  switch (kind) {
    case "agent_budget":
      return {
        title: `The AI agent has used ${params["share"] ?? 100} % of ${params["period"] === "month" ? "this month's" : "today's"} budget`,
        body: "At 100 % the built-in agent answers instead of the model. Change the budget in the setup of the agent.",
      };
    case "agent_provider_failing":
      return {
        title: `${params["model"] ?? "A model provider"} refuses the AI agent`,
        body: `${params["failure"] === "quota" ? "Its quota is used up." : "It does not accept the key."} The next provider or the built-in agent answers meanwhile. Change the provider in the setup of the agent.`,
      };
  }
}

function renderChannelNotice(
  kind: "channel_trouble" | "channel_token_expiring",
  params: Params,
): { title: string; body: string } {
  const name = String(params["channel_name"] ?? "a channel");
  switch (kind) {
    case "channel_trouble": {
      const reason = channelReasons.find((one) => one === params["reason"]) ?? "provider_refused";
      const holds = params["state"] === "needs_reauth" ? "needs a new token" : "has a problem";
      return {
        title: `The channel ${name} ${holds}`,
        body: `${nextSteps[reason]} Messages to customers may wait meanwhile.`,
      };
    }
    case "channel_token_expiring": {
      const days = Number(params["days"] ?? 1);
      return {
        title: `The token of ${name} ends in ${days === 1 ? "a day" : `${days} days`}`,
        body: "Make a new token in Meta's settings, and paste it on the page of the channel.",
      };
    }
  }
}

function renderNews(
  kind:
    | "message_received"
    | "conversation_assigned"
    | "mentioned"
    | "appointment_booked"
    | "appointment_overlaps",
  params: Params,
  contactName: string | null,
): { title: string; body: string } {
  const customer = contactName ?? "A customer";
  const colleague = String(params["actor_name"] ?? "A colleague");
  switch (kind) {
    case "message_received":
      return {
        title: `${customer} wrote to you`,
        body: "The conversation is assigned to you. Open it and answer.",
      };
    case "conversation_assigned":
      return {
        title: `${colleague} assigned you a conversation`,
        body: `You attend the conversation with ${contactName ?? "a customer"} now.`,
      };
    case "mentioned":
      return {
        title: `${colleague} mentioned you in a note`,
        body: `The note is in the conversation with ${contactName ?? "a customer"}.`,
      };
    case "appointment_booked":
      return {
        title: `${customer} booked an appointment`,
        body: `With ${params["resource_name"] ?? "a resource"}, at ${params["start_time"] ?? "a time that was not recorded"}.`,
      };
    case "appointment_overlaps":
      return {
        title: `The appointment of ${contactName ?? "a customer"} overlaps another one`,
        body: `An external calendar put it there: ${params["resource_name"] ?? "a resource"}, ${params["start_time"] ?? "a time that was not recorded"}. Move one of them.`,
      };
  }
}

function calendarCause({ provider, reason }: Params): string {
  const name = provider === "calendly" ? "Calendly" : "Google";
  if (reason === "testing_expired")
    return "Google ends the access of an app in Testing after 7 days. Publish the app, or make it Internal.";
  return reason === "grant_revoked"
    ? `${name} no longer accepts the consent: somebody revoked it, or it has expired.`
    : `${name} no longer lets us use it.`;
}

function disabledWords({ reason, failing_since }: Params): string {
  if (reason === "receiver_gone") return "Its receiver answered 410 Gone to two events in a row.";
  return `Its receiver has only failed since ${failing_since ?? "three days ago"}.`;
}

function lastAnswer(params: Params): string {
  if (params["status_code"] !== null && params["status_code"] !== undefined) {
    return `HTTP ${params["status_code"]}`;
  }
  return String(params["error_class"] ?? "no answer was recorded").replaceAll("_", " ");
}
