import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { notificationGroupView } from "../../../../core/model/views/dashboard.ts";
import { callApi, callForData, queryString, type Listed, type LogMeta } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import type { NotificationMeta, NotificationRow } from "../../lib/notifications.ts";

/** Notifications of one cause, with the present state of the newest one's subject. */
export type NotificationGroup = z.output<typeof notificationGroupView>;

/** A page of causes; the cause with the newest notification comes first. */
export function groupsQuery(unread: boolean, offset: number) {
  const query = queryString({ unread: unread ? "true" : undefined, limit: 20, offset });
  return queryOptions({
    queryKey: [...liveKeys.notificationGroups, unread, offset],
    queryFn: async () =>
      await callApi<Listed<NotificationGroup, NotificationMeta>>(
        "GET",
        `/notification-groups${query}`,
      ),
  });
}

/** A page of the notifications of one cause, newest first. */
export function groupRowsQuery(groupKey: string, beforeId: number | null) {
  const before = beforeId ?? undefined;
  const query = queryString({ group_key: groupKey, limit: 10, before_id: before });
  return queryOptions({
    queryKey: [...liveKeys.notifications, "of", groupKey, beforeId],
    queryFn: async () =>
      await callApi<Listed<NotificationRow, LogMeta>>("GET", `/notifications${query}`),
  });
}

/** Enables a disabled subscription. Its held deliveries continue. */
export function useEnableSubscription(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await callForData("PATCH", `/subscriptions/${id}`, { state: "active" }),
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.notificationGroups }),
        client.invalidateQueries({ queryKey: liveKeys.subscriptions }),
      ]),
  });
}
