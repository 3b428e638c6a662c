import { useQueryClient, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Session } from "./session.ts";
import { followChanges, type Change, type LiveState } from "./live-stream.ts";

/** Prefixes of the query keys that change events invalidate. */
export const liveKeys = {
  conversationLists: ["conversations"],
  /** Lists of the inbox. Changes are placed in them one by one, see `placeChanged`. */
  queues: ["queues"],
  viewCounts: ["view-counts"],
  queueCounts: ["queue-counts"],
  savedViews: ["saved-views"],
  conversation: (id: number) => ["conversation", id],
  presence: (id: number) => ["presence", id],
  visitorTyping: (id: number) => ["visitor-typing", id],
  /** Page and visits of a contact. */
  visits: (contactId: number) => ["visits", contactId],
  contactLists: ["contacts"],
  /** Contacts that may be the same person: a large read, which messages do not concern. */
  duplicates: ["duplicates"],
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
  channels: ["channels"],
  /** Connections to external calendars. */
  calendars: ["calendars"],
  imports: ["imports"],
  exports: ["exports"],
  subscriptions: ["subscriptions"],
  account: ["account"],
  firstRun: ["first-run"],
  /** Canned answers and macros. */
  answers: ["answers"],
  agent: ["agent"],
  /** Turns of the AI agent. */
  agentTurns: ["agent-turns"],
  knowledge: ["knowledge"],
} as const;

/** Changes within this many ms cause one refetch. */
const gatherMs = 80;
/** Reads that nearly every change concerns are made less often. */
const gatherSlowMs = 500;

/**
 * Refetches queries whose data changed in the account. @returns `live` while change events arrive.
 * All data on the page was read after the session, so events from the session on are complete.
 * @param place puts the changed conversations of contacts in their places in the inbox.
 */
export function useLiveChanges(
  { account: { id: accountId }, stream_from: from }: Session,
  place: (client: QueryClient, contactIds: number[]) => Promise<void>,
): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>("live");
  useEffect(() => {
    const due = new Map<string, QueryKey>();
    const slowDue = new Map<string, QueryKey>();
    const contacts = new Set<number>();
    const soon = gather(gatherMs, () => {
      for (const queryKey of due.values()) void readAgain(client, queryKey);
      due.clear();
      if (contacts.size > 0) void place(client, [...contacts]);
      contacts.clear();
    });
    const slow = gather(gatherSlowMs, () => {
      // A read under way ends first. On a busy account it would never end otherwise.
      for (const [name, queryKey] of slowDue) {
        if (client.isFetching({ queryKey }) > 0) continue;
        slowDue.delete(name);
        void readAgain(client, queryKey);
      }
      if (slowDue.size > 0) slow.start();
    });
    const stop = followChanges(accountId, from, {
      onState: setState,
      onEvent(event) {
        if (event.type === "presence") {
          const { conversation_id: id, viewers } = event.presence;
          client.setQueryData(liveKeys.presence(id), viewers);
          return;
        }
        if (event.type === "typing") {
          const { conversation_id: id, is_typing: isTyping } = event.typing;
          client.setQueryData(liveKeys.visitorTyping(id), isTyping);
          return;
        }
        const keys = event.type === "everything" ? [[]] : keysOf(event.change);
        for (const key of keys) due.set(JSON.stringify(key), key);
        if (event.type === "change") {
          const { kind, contact_id: id } = event.change;
          if (id !== null && inQueue.test(kind)) contacts.add(id);
          for (const [kinds, key] of slowKeys) if (kinds.test(kind)) slowDue.set(key[0], key);
        }
        soon.start();
        slow.start();
      },
    });
    return () => {
      stop();
      soon.stop();
      slow.stop();
    };
  }, [client, accountId, from, place]);
  return state;
}

/** Runs `work` once, `ms` after the first start. Starts until then change nothing. */
function gather(ms: number, work: () => void) {
  let timer: number | undefined;
  return {
    start(): void {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        work();
      }, ms);
    },
    stop: (): void => window.clearTimeout(timer),
  };
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
  const { contact_id: id, kind } = change;
  // A visitor who moves on changes nothing else of the contact.
  if (id !== null && kind.startsWith("visitor.")) return [liveKeys.visits(id)];
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
  // A turn of the agent begins and ends with this change.
  "conversation.updated": [...conversationKeys, liveKeys.agentTurns],
  "message.created": messageKeys,
  "message.updated": messageKeys,
  "message.rated": [liveKeys.agentTurns],
  "note.created": [],
  "contact.updated": [
    liveKeys.conversationLists,
    liveKeys.contactLists,
    liveKeys.duplicates,
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
  "account.updated": [liveKeys.account, ["session"], liveKeys.firstRun],
  "appointment.created": [liveKeys.appointments],
  "appointment.updated": [liveKeys.appointments],
  // Appointments show names of agendas and services, and free slots depend on opening hours.
  "agenda.updated": [liveKeys.agendas, liveKeys.appointments, liveKeys.firstRun],
  "pipeline.updated": [
    liveKeys.pipelines,
    liveKeys.board,
    liveKeys.queues,
    ["conversation"],
    ["contact"],
  ],
  "channel.updated": [liveKeys.channels],
  "calendar.updated": [liveKeys.calendars],
  "import.updated": [liveKeys.imports],
  "export.updated": [liveKeys.exports],
  "visitor.updated": [],
  "visitor.ended": [],
  "widget.deleted": [],
  "inbox_view.updated": [liveKeys.savedViews, liveKeys.viewCounts],
  "canned_answer.updated": [liveKeys.answers],
  "macro.updated": [liveKeys.answers],
  "agent.updated": [liveKeys.agent],
  "knowledge.updated": [liveKeys.knowledge, liveKeys.agent],
} satisfies Record<Change["kind"], QueryKey[]>;

/** A newer server may send kinds that this page does not know. */
const knownKeys: Partial<Record<string, QueryKey[]>> = kindKeys;

/** Changes that move conversations in the inbox. */
const inQueue = /^(?:conversation\.(?!typing)|message\.|contact\.)/u;
const inConversation = /^(?:conversation\.(?!typing)|message\.|note\.)/u;
const ofContact = /^(?:conversation\.(?!typing)|contact\.)/u;

/** Kinds after which large reads follow slowly, besides those in `kindKeys`. */
const slowKeys = [
  [inQueue, liveKeys.viewCounts],
  [inQueue, liveKeys.queueCounts],
  // Cards show the last message, the assignee and the next appointment.
  [/^(?:conversation\.updated|message\.created|appointment)/u, liveKeys.board],
  // Rows of contacts show the last message, the assignee and the stage.
  [/^(?:conversation\.(?!typing)|message\.created)/u, liveKeys.contactLists],
] as const;

function listedKeys({ kind, conversation_id, contact_id }: Change): QueryKey[] {
  const keys = [...(knownKeys[kind] ?? [])];
  if (conversation_id !== null && inConversation.test(kind)) {
    keys.push(liveKeys.conversation(conversation_id));
  }
  if (contact_id !== null && ofContact.test(kind)) keys.push(liveKeys.contact(contact_id));
  return keys;
}
