import { useQueryClient, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Session } from "./session.ts";
import { followChanges, type Change, type LiveState } from "./live-stream.ts";

/** Prefixes of the query keys that change events invalidate. */
export const liveKeys = {
  conversationLists: ["conversations"],
  conversation: (id: number) => ["conversation", id],
  contactLists: ["contacts"],
  contact: (id: number) => ["contact", id],
  timelines: ["timeline"],
  timeline: (id: number) => ["timeline", id],
  appointments: ["appointments"],
  agendas: ["agendas"],
  pipelines: ["pipelines"],
  board: ["board"],
  notifications: ["notifications"],
  notificationGroups: ["notification-groups"],
  deliveries: ["deliveries"],
  subscriptions: ["subscriptions"],
  account: ["account"],
  firstRun: ["first-run"],
  /** Canned answers and macros. */
  answers: ["answers"],
} as const;

/** Changes within this many ms cause one refetch. */
const gatherMs = 80;

/**
 * Refetches queries whose data changed in the account. @returns `live` while change events arrive.
 * All data on the page was read after the session, so events from the session on are complete.
 */
export function useLiveChanges({
  account: { id: accountId },
  stream_from: from,
}: Session): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>("live");
  useEffect(() => {
    const due = new Map<string, QueryKey>();
    let timer: number | undefined;
    const flush = (): void => {
      timer = undefined;
      const keys = [...due.values()];
      due.clear();
      void Promise.all(keys.map(async (queryKey) => await readAgain(client, queryKey)));
    };
    const stop = followChanges(accountId, from, {
      onState: setState,
      onEvent(event) {
        const keys = event.type === "everything" ? [[]] : keysOf(event.change);
        for (const key of keys) due.set(JSON.stringify(key), key);
        timer ??= window.setTimeout(flush, gatherMs);
      },
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client, accountId, from]);
  return state;
}

/**
 * A read under way may have begun before the change, so it restarts. A first read is not restarted,
 * since the page has nothing to show meanwhile. It is read once more when it is done.
 */
async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const first = client.getQueryCache().findAll({
    queryKey,
    fetchStatus: "fetching",
    predicate: ({ state }) => state.data === undefined,
  });
  await client.invalidateQueries({ queryKey });
  await Promise.all(
    first.map(
      async (query) => await client.invalidateQueries({ queryKey: query.queryKey, exact: true }),
    ),
  );
}

function keysOf(change: Change): QueryKey[] {
  const { contact_id: id } = change;
  return id === null ? listedKeys(change) : [...listedKeys(change), liveKeys.timeline(id)];
}

function listedKeys({ kind, conversation_id, contact_id }: Change): QueryKey[] {
  const conversation = conversation_id === null ? [] : [liveKeys.conversation(conversation_id)];
  const contact = contact_id === null ? [] : [liveKeys.contact(contact_id)];
  switch (kind) {
    case "conversation.stage_changed":
      return [
        liveKeys.conversationLists,
        liveKeys.board,
        liveKeys.pipelines,
        ...conversation,
        ...contact,
      ];
    case "conversation.created":
    case "conversation.updated":
      return [
        liveKeys.conversationLists,
        liveKeys.notificationGroups,
        liveKeys.firstRun,
        ...conversation,
        ...contact,
      ];
    case "message.created":
    case "message.updated":
      return [liveKeys.conversationLists, liveKeys.firstRun, ...conversation];
    case "note.created":
      return conversation;
    case "contact.updated":
      return [
        liveKeys.conversationLists,
        liveKeys.contactLists,
        liveKeys.board,
        liveKeys.pipelines,
        // A merge of contacts moves timeline entries and appointments to the remaining contact.
        liveKeys.timelines,
        liveKeys.appointments,
        ["conversation"],
        ...contact,
      ];
    case "notification.created":
    case "notification.read":
      return [liveKeys.notifications, liveKeys.notificationGroups];
    case "delivery.updated":
      return [liveKeys.deliveries, liveKeys.timelines, liveKeys.notificationGroups];
    case "subscription.updated":
      return [liveKeys.subscriptions, liveKeys.notificationGroups, liveKeys.firstRun];
    case "account.updated":
      return [liveKeys.account, ["session"]];
    case "appointment.created":
    case "appointment.updated":
      return [liveKeys.appointments];
    case "agenda.updated":
      // Appointments show names of agendas and services, and free slots depend on opening hours.
      return [liveKeys.agendas, liveKeys.appointments];
    case "pipeline.updated":
      return [liveKeys.pipelines, liveKeys.board, ["conversation"], ["contact"]];
    case "canned_answer.updated":
    case "macro.updated":
      return [liveKeys.answers];
    default:
      // A newer server may send kinds that this page does not know.
      return [];
  }
}
