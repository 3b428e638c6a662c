import { useQueryClient, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Session } from "./session.ts";
import { followChanges, type Change, type LiveState } from "./live-stream.ts";

/** Prefixes of the query keys that change events invalidate. */
export const liveKeys = {
  conversationLists: ["conversations"],
  conversation: (id: number) => ["conversation", id],
  presence: (id: number) => ["presence", id],
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
        if (event.type === "presence") {
          const { conversation_id: id, viewers } = event.presence;
          client.setQueryData(liveKeys.presence(id), viewers);
          return;
        }
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

const conversationKeys = [
  liveKeys.conversationLists,
  liveKeys.notificationGroups,
  liveKeys.firstRun,
];
const messageKeys = [liveKeys.conversationLists, liveKeys.firstRun];
const notificationKeys = [liveKeys.notifications, liveKeys.notificationGroups];

/** Keys that a change of each kind affects, besides those of its own conversation and contact. */
const kindKeys = {
  "conversation.stage_changed": [liveKeys.conversationLists, liveKeys.board, liveKeys.pipelines],
  "conversation.created": conversationKeys,
  "conversation.updated": conversationKeys,
  "message.created": messageKeys,
  "message.updated": messageKeys,
  "note.created": [],
  "contact.updated": [
    liveKeys.conversationLists,
    liveKeys.contactLists,
    liveKeys.board,
    liveKeys.pipelines,
    // A merge of contacts moves timeline entries and appointments to the remaining contact.
    liveKeys.timelines,
    liveKeys.appointments,
    ["conversation"],
  ],
  "notification.created": notificationKeys,
  "notification.read": notificationKeys,
  "delivery.updated": [liveKeys.deliveries, liveKeys.timelines, liveKeys.notificationGroups],
  "subscription.updated": [liveKeys.subscriptions, liveKeys.notificationGroups, liveKeys.firstRun],
  "account.updated": [liveKeys.account, ["session"]],
  "appointment.created": [liveKeys.appointments],
  "appointment.updated": [liveKeys.appointments],
  // Appointments show names of agendas and services, and free slots depend on opening hours.
  "agenda.updated": [liveKeys.agendas, liveKeys.appointments],
  "pipeline.updated": [liveKeys.pipelines, liveKeys.board, ["conversation"], ["contact"]],
  "canned_answer.updated": [liveKeys.answers],
  "macro.updated": [liveKeys.answers],
} satisfies Record<Change["kind"], QueryKey[]>;

/** A newer server may send kinds that this page does not know. */
const knownKeys: Partial<Record<string, QueryKey[]>> = kindKeys;

const inConversation = /^(?:conversation|message|note)\./u;
const ofContact = /^(?:conversation|contact)\./u;

function listedKeys({ kind, conversation_id, contact_id }: Change): QueryKey[] {
  const keys = [...(knownKeys[kind] ?? [])];
  if (conversation_id !== null && inConversation.test(kind)) {
    keys.push(liveKeys.conversation(conversation_id));
  }
  if (contact_id !== null && ofContact.test(kind)) keys.push(liveKeys.contact(contact_id));
  return keys;
}
