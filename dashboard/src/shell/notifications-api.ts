import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { notificationView } from "../../../api/dashboard/views.ts";
import { callApi, callForData, type Listed, type ListMeta } from "../lib/api.ts";
import { liveKeys } from "../lib/live-changes.ts";
import { tellFailure } from "../lib/notify.ts";

/** A notification as the bell shows it. */
export type NotificationRow = z.output<typeof notificationView>;

/** The newest notifications, and how many are not read. */
export const notificationsQuery = queryOptions({
  queryKey: liveKeys.notifications,
  queryFn: async () =>
    await callApi<Listed<NotificationRow, ListMeta & { unread: number }>>(
      "GET",
      "/notifications?limit=50",
    ),
});

/** Marks some notifications, or all, as read. */
export function useMarkRead() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (ids: number[] | "all") =>
      await callForData("POST", "/notifications/read", { ids }),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.notifications }),
    onError: (error) => tellFailure(t("bell.not_marked"), error),
  });
}
