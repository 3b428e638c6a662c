import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { findNext } from "../../lib/inbox-queue.ts";
import { tellWithActions } from "../../lib/notify.ts";
import { conversationPath } from "../../paths.ts";
import { conversationQuery, type Conversation } from "./api.ts";
import { useListState } from "./list-state.ts";
import { useConversationChange, type ConversationChange } from "./use-conversation-change.ts";

/** A key so soon after a resolution is meant for the next conversation, which is on its way. */
const hasteMs = 1_000;

/**
 * Resolves a conversation and opens the next one of the list, or reopens it. With no other
 * conversation in the list, the resolved one stays open.
 */
export function useResolve(conversation: Conversation): (by: "key" | "button") => void {
  const { id, status, contact, snoozed_until: until } = conversation;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [state] = useListState();
  const client = useQueryClient();
  const change = useConversationChange(id);
  const isSending = useRef(false);
  /** Number of changes that this page has sent. */
  const sends = useRef(0);
  /** Moment from which a key reopens the conversation. */
  const keysFrom = useRef(0);
  const goTo = (next: number): void =>
    void navigate({ pathname: conversationPath(next), search: window.location.search });
  const openNext = async (): Promise<void> => {
    if (typeof state === "string") return;
    keysFrom.current = Date.now() + hasteMs;
    const before = sends.current;
    const next = await findNext(id, state).catch(() => null);
    // A later change has a search of its own, or none.
    if (sends.current !== before) return;
    const now = client.getQueryData(conversationQuery(id).queryKey);
    // Somebody who has reopened it or gone elsewhere meanwhile stays there.
    const isHere = window.location.pathname === conversationPath(id);
    if (next !== null && isHere && now?.status === "resolved") goTo(next);
    else keysFrom.current = 0;
  };
  const send = (next: ConversationChange, onSuccess = (): void => undefined): void => {
    isSending.current = true;
    sends.current += 1;
    const onSettled = (): void => {
      isSending.current = false;
    };
    change.mutate(next, { onSuccess, onSettled });
  };
  const undo = (): void => {
    send(wayBack(conversation));
    if (until !== null && new Date(until) > new Date()) send({ type: "snooze", until });
    goTo(id);
  };
  return (by) => {
    // The status on the page is already the wanted one. A second press would revert it.
    if (isSending.current || (by === "key" && Date.now() < keysFrom.current)) return;
    if (status === "resolved") {
      keysFrom.current = 0;
      send({ type: "status", status: "active" });
      return;
    }
    const told = (): void => {
      const message = t("inbox.resolved", { name: contact.name });
      const actions = [{ label: t("bulk.undo"), run: undo }];
      tellWithActions({ id: `resolved-${id}`, message, actions });
      void openNext();
    };
    send({ type: "status", status: "resolved" }, told);
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
