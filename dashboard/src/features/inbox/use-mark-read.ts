import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import type { MessageView } from "../../../../core/model/message.ts";
import { markRead, type Conversation } from "./api.ts";

/**
 * Marks messages in view as read, also when a conversation without unread messages opens: the
 * person's notifications of it become read by that. A tab in the background marks nothing.
 * @param isReady false while the page does not know yet which messages are new
 */
export function useMarkRead(
  { id, unread_count }: Conversation,
  newestFirst: MessageView[],
  isReady: boolean,
): void {
  const visible = useDocumentVisibility() === "visible" && isReady;
  const opened = useRef<number | null>(null);
  const newest = newestFirst.find(({ direction }) => direction === "inbound")?.id ?? null;
  useEffect(() => {
    if (!visible || (unread_count === 0 && opened.current === id)) return;
    opened.current = id;
    // After a failure the messages stay unread, and the next run tries again.
    markRead(id, newest).catch(() => undefined);
  }, [visible, unread_count, newest, id]);
}
