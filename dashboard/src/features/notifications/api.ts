import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { notificationGroupView } from "../../../../core/model/views/dashboard.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Notifications of one cause, with the present state of the newest one's subject. */
export type NotificationGroup = z.output<typeof notificationGroupView>;

/** A page of causes; the cause with the newest notification comes first. */
export function groupsQuery(unread: boolean, offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.notificationGroups, unread, offset],
    queryFn: async () =>
      await callApi("GET /notification-groups", {
        query: { unread: unread ? "true" : undefined, limit: 20, offset },
      }),
  });
}

/** A page of the notifications of one cause, newest first. */
export function groupRowsQuery(groupKey: string, beforeId: number | null) {
  const before = beforeId ?? undefined;
  const query = { group_key: groupKey, limit: 10, before_id: before };
  return queryOptions({
    queryKey: [...liveKeys.notifications, "of", groupKey, beforeId],
    queryFn: async () => await callApi("GET /notifications", { query }),
  });
}

/** Enables a disabled subscription. Its held deliveries continue. */
export function useEnableSubscription(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      await callApi("PATCH /subscriptions/:id", { id, body: { state: "active" } }),
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: liveKeys.notificationGroups }),
        client.invalidateQueries({ queryKey: liveKeys.subscriptions }),
      ]),
  });
}
