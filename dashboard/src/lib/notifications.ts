import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { notificationView } from "../../../core/model/views/dashboard.ts";
import {
  appointmentPath,
  channelPath,
  conversationPath,
  deliveryPath,
  paths,
  subscriptionPath,
} from "../paths.ts";
import { callApi } from "./api.ts";
import { errorClassText } from "./error-text.ts";
import { liveKeys } from "./live-changes.ts";
import { tellFailure } from "./notify.ts";
import { useSession } from "./session.ts";
import { dayAndTime } from "./time.ts";

/** A notification as the bell shows it. */
export type NotificationRow = z.output<typeof notificationView>;

/** The newest notifications, and the number of unread ones. */
export const notificationsQuery = queryOptions({
  queryKey: [...liveKeys.notifications, "newest"],
  queryFn: async () => await callApi("GET /notifications", { query: { limit: 50 } }),
});

/** Notifications to mark as read: some, those of a cause up to the newest seen, or all. */
export type Reading = number[] | "all" | { group_key: string; through_id: number };

/** Marks notifications as read. */
export function useMarkRead() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (reading: Reading) =>
      typeof reading === "object" && "group_key" in reading
        ? await callApi("POST /notification-groups/read", { body: reading })
        : await callApi("POST /notifications/read", { body: { ids: reading } }),
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.notifications }),
        client.invalidateQueries({ queryKey: liveKeys.notificationGroups }),
      ]),
    onError: (error) => tellFailure(t("bell.not_marked"), error),
  });
}

/** Path of the page that a notification is about, or where its cause is mended; null for none. */
export function notificationTarget({
  kind,
  conversation_id: conversation,
  appointment_id: appointment,
  subscription_id: subscription,
  delivery_id: delivery,
  params,
}: NotificationRow) {
  if (conversation !== null) return conversationPath(conversation);
  if (appointment !== null) return appointmentPath(appointment);
  if (kind === "calendar_disconnected") return paths.calendars;
  if (kind === "agent_budget" || kind === "agent_provider_failing") return paths.agentSetup;
  if (kind === "channel_trouble" || kind === "channel_token_expiring") {
    const channel = params["channel_account_id"];
    return typeof channel === "number" ? channelPath(channel) : paths.channels;
  }
  if (subscription === null) return null;
  return delivery === null ? subscriptionPath(subscription) : deliveryPath(subscription, delivery);
}

/** Step that a notification asks of somebody; null for news alone. */
export function notificationStep({ kind }: NotificationRow): "answer" | "open" | null {
  switch (kind) {
    case "conversation_handed_off":
    case "handoff_reminder":
    case "handoff_escalation":
    case "message_received":
      return "answer";
    case "delivery_discarded":
    case "delivery_exhausted_warning":
    case "subscription_disabled":
    case "calendar_disconnected":
    case "agent_budget":
    case "agent_provider_failing":
    case "channel_trouble":
    case "channel_token_expiring":
    case "appointment_overlaps":
      return "open";
    case "conversation_assigned":
    case "mentioned":
    case "appointment_booked":
      return null;
  }
}

/** Title and body of a notification in the person's language. */
export function useNotificationWords(row: NotificationRow): { title: string; body: string } {
  const { t } = useTranslation();
  const { account } = useSession();
  return notificationWords(row, t, account.time_zone);
}

/** The same outside a component of one notification. */
export function notificationWords(
  { kind, params, contact_name }: NotificationRow,
  t: TFunction,
  timeZone: string,
) {
  const start = params["start_time"];
  const values = {
    when: typeof start === "string" ? dayAndTime(start, timeZone) : "",
    subscription: String(params["subscription_name"] ?? ""),
    event: String(params["event_type"] ?? ""),
    attempts: Number(params["attempts"] ?? 6),
    // An attempt whose worker died has no answer.
    answer: answerIn(params) ?? t("notification.no_answer"),
    customer: contact_name ?? t("notification.somebody"),
    resource: String(params["resource_name"] ?? params["email"] ?? ""),
    share: Number(params["share"] ?? 0),
    period: t(`notification.${params["period"] === "month" ? "month" : "day"}`),
    channel: String(params["channel_name"] ?? ""),
    days: Number(params["days"] ?? 0),
    model: String(params["model"] ?? ""),
    fault: t(`notification.${params["failure"] === "quota" ? "quota" : "refused"}`),
    colleague: String(params["actor_name"] ?? t("notification.colleague")),
  };
  return {
    title: t(`notification.${kind}.title`, values),
    body: t(`notification.${kind}.body`, values),
  };
}

function answerIn({ status_code: status, error_class: error }: NotificationRow["params"]) {
  if (typeof status === "number") return `HTTP ${status}`;
  return typeof error === "string" ? errorClassText(error) : null;
}
