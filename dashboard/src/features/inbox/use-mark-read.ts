import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect } from "react";
import type { MessageView } from "../../../../core/model/message.ts";
import { markRead, type Conversation } from "./api.ts";

/** Marks what the person sees as seen; a tab in the background shows nothing. */
export function useMarkRead({ id, unread_count }: Conversation, newestFirst: MessageView[]): void {
  const visible = useDocumentVisibility() === "visible";
  const newest = newestFirst.find(({ direction }) => direction === "inbound")?.id ?? null;
  useEffect(() => {
    if (!visible || unread_count === 0 || newest === null) return;
    // Where this fails the mark stays, and the next look tries again.
    markRead(id, newest).catch(() => undefined);
  }, [visible, unread_count, newest, id]);
}
