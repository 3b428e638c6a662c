import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { findNext } from "../../lib/inbox-queue.ts";
import { tellWithActions } from "../../lib/notify.ts";
import { conversationPath } from "../../paths.ts";
import type { Conversation } from "./api.ts";
import { useListState } from "./list-state.ts";
import { useConversationChange, type ConversationChange } from "./use-conversation-change.ts";

/**
 * Resolves a conversation and opens the next one of the list, or reopens it. With no other
 * conversation in the list, the resolved one stays open.
 */
export function useResolve(conversation: Conversation): () => void {
  const { id, status, contact, snoozed_until: until } = conversation;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [state] = useListState();
  const change = useConversationChange(id);
  const isLeaving = useRef(false);
  const goTo = (next: number): void =>
    void navigate({ pathname: conversationPath(next), search: window.location.search });
  const openNext = async (): Promise<void> => {
    if (typeof state === "string") return;
    isLeaving.current = true;
    const next = await findNext(id, state).catch(() => null);
    // Somebody who has gone elsewhere meanwhile stays there.
    if (next !== null && window.location.pathname === conversationPath(id)) goTo(next);
    else isLeaving.current = false;
  };
  const undo = (): void => {
    change.mutate(wayBack(conversation));
    if (until !== null && new Date(until) > new Date()) change.mutate({ type: "snooze", until });
    goTo(id);
  };
  return () => {
    // The status on the page is already the wanted one. A second press would revert it.
    if (change.isPending || isLeaving.current) return;
    if (status === "resolved") {
      change.mutate({ type: "status", status: "active" });
      return;
    }
    const told = (): void => {
      const message = t("inbox.resolved", { name: contact.name });
      const actions = [{ label: t("bulk.undo"), run: undo }];
      tellWithActions({ id: `resolved-${id}`, message, actions });
      void openNext();
    };
    change.mutate({ type: "status", status: "resolved" }, { onSuccess: told });
  };
}

/**
 * The change that gives back what a resolution has ended. An answered handoff is not begun again,
 * because it would call for a person.
 */
function wayBack({ status, handoff, answered_by_user_id }: Conversation): ConversationChange {
  if (status !== "handed_off") return { type: "status", status };
  if (answered_by_user_id !== null) return { type: "status", status: "active" };
  return { type: "bot", enabled: false, reason: handoff?.reason ?? "" };
}
