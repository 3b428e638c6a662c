import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { notificationView } from "../../../core/model/views/dashboard.ts";
import { conversationPath, deliveryPath, subscriptionPath } from "../paths.ts";
import { callApi } from "./api.ts";
import { errorClassText } from "./error-text.ts";
import { liveKeys } from "./live-changes.ts";
import { tellFailure } from "./notify.ts";

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

/**
 * Path of the conversation, delivery or subscription that a notification is about; null for none.
 */
export function notificationTarget({
  conversation_id: conversation,
  subscription_id: subscription,
  delivery_id: delivery,
}: NotificationRow) {
  if (conversation !== null) return conversationPath(conversation);
  if (subscription === null) return null;
  return delivery === null ? subscriptionPath(subscription) : deliveryPath(subscription, delivery);
}

/** Title and body of a notification in the person's language. */
export function useNotificationWords({ kind, params, contact_name }: NotificationRow): {
  title: string;
  body: string;
} {
  const { t } = useTranslation();
  const values = {
    subscription: String(params["subscription_name"] ?? ""),
    event: String(params["event_type"] ?? ""),
    attempts: Number(params["attempts"] ?? 6),
    // An attempt whose worker died has no answer.
    answer: answerIn(params) ?? t("notification.no_answer"),
    customer: contact_name ?? t("notification.somebody"),
    resource: String(params["resource_name"] ?? ""),
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
