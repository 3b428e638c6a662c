import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect } from "react";
import type { MessageView } from "../../../../core/model/message.ts";
import { markRead, type Conversation } from "./api.ts";

/** Marks messages in view as read. A tab in the background marks nothing. */
export function useMarkRead({ id, unread_count }: Conversation, newestFirst: MessageView[]): void {
  const visible = useDocumentVisibility() === "visible";
  const newest = newestFirst.find(({ direction }) => direction === "inbound")?.id ?? null;
  useEffect(() => {
    if (!visible || unread_count === 0 || newest === null) return;
    // After a failure the messages stay unread, and the next run tries again.
    markRead(id, newest).catch(() => undefined);
  }, [visible, unread_count, newest, id]);
}
