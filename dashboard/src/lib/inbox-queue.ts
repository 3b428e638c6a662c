import {
  infiniteQueryOptions,
  queryOptions,
  useQuery,
  type InfiniteData,
  type Query,
  type QueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import {
  comparePlaces,
  isInView,
  parseQueueCursor,
  placeInView,
  type InboxOrder,
  type InboxView,
} from "../../../core/model/inbox-queue.ts";
import type { SavedView } from "../../../core/model/saved-view.ts";
import type { inboxRow } from "../../../core/model/views/conversation.ts";
import { callApi, readAll, type AnswerOf, type QueryOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** A conversation in the list. */
export type InboxRow = z.output<typeof inboxRow>;

/** Filters of the list, in the shape of the API. */
export type QueueFilter = Pick<
  QueryOf<"GET /conversations">,
  "channel" | "status" | "answered" | "unread" | "assigned_to" | "stage_id" | "tag" | "search"
>;

/** A list of the inbox: a view in an order, narrowed by filters. */
export interface Queue {
  view: InboxView;
  order: InboxOrder;
  filter: QueueFilter;
}

type Page = AnswerOf<"GET /conversations">;
type Pages = InfiniteData<Page, string | undefined>;

/** Rows of the first page, which opens the inbox, and of the further ones. */
const pageRows = { first: 50, further: 100 };

/** The conversations of a queue, loaded page by page as far as somebody scrolls. */
export function queueQuery({ view, order, filter }: Queue) {
  return infiniteQueryOptions({
    queryKey: [...liveKeys.queues, { view, order, filter } satisfies Queue] as const,
    queryFn: async ({ pageParam: cursor }) => {
      const limit = cursor === undefined ? pageRows.first : pageRows.further;
      return await callApi("GET /conversations", {
        query: { ...filter, view, order, limit, cursor },
      });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });
}

/** Number of conversations in each view and saved view. */
export const viewCountsQuery = queryOptions({
  queryKey: liveKeys.viewCounts,
  queryFn: async () => await callApi("GET /conversations/counts"),
});

/** Number of conversations in a queue. */
export function queueCountQuery({ view, order, filter }: Queue) {
  return queryOptions({
    queryKey: [...liveKeys.queueCounts, { view, filter }],
    queryFn: async () =>
      (await callApi("GET /conversations", { query: { ...filter, view, order, limit: 1 } })).meta,
  });
}

const savedViewsQuery = queryOptions({
  queryKey: liveKeys.savedViews,
  queryFn: async () => await readAll(async (query) => await callApi("GET /inbox-views", { query })),
});

/** Saved views that the person sees, by name; undefined while they load. */
export function useSavedViews(): SavedView[] | undefined {
  return useQuery(savedViewsQuery).data?.data;
}

/** The conversation after this one in a queue, also if this one has just left it; null for none. */
export async function findNext(id: number, { view, order, filter }: Queue): Promise<number | null> {
  const { id: next } = await callApi("GET /conversations/:id/next", {
    id,
    query: { ...filter, view, order },
  });
  return next;
}

/** Contacts whose conversations have changed and are not read yet. */
const changed = new Set<number>();
let isPlacing = false;

/**
 * Reads the conversations of contacts again and moves them to their places in the list. So a change
 * costs one small read, however many pages are loaded. A list that nobody looks at is dropped.
 */
export async function placeChanged(client: QueryClient, contactIds: number[]): Promise<void> {
  for (const id of contactIds) changed.add(id);
  // One read after the other, so that no older answer overwrites a newer one.
  if (isPlacing) return;
  isPlacing = true;
  try {
    while (changed.size > 0) {
      const ids = [...changed].slice(0, mostContacts);
      for (const id of ids) changed.delete(id);
      client.removeQueries({ queryKey: liveKeys.queues, type: "inactive" });
      const shown = client.getQueryCache().findAll({ queryKey: liveKeys.queues });
      await Promise.all(shown.map(async (query) => await placeIn(client, query, ids)));
    }
  } finally {
    isPlacing = false;
  }
}

/** Maximum number of contacts, and of rows, in one read. */
const mostContacts = 100;

async function placeIn(client: QueryClient, query: Query, contactIds: number[]): Promise<void> {
  const queue = query.queryKey[1] as Queue;
  try {
    await loaded(query);
    const { data: rows, meta } = await callApi("GET /conversations", {
      query: { ...queue.filter, contact_ids: contactIds.join(","), limit: mostContacts },
    });
    await loaded(query);
    if (meta.total > rows.length) throw new Error("These contacts have more conversations.");
    const userId = client.getQueryData<{ user: { id: number } }>(["session"])?.user.id ?? 0;
    client.setQueryData<Pages>(
      query.queryKey,
      (pages) => pages && withChanged(pages, queue, { userId, contactIds, rows }),
    );
  } catch {
    await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}

/** A page under way may hold the rows as they were. They are replaced once it is there. */
async function loaded(query: Query): Promise<void> {
  if (query.state.fetchStatus === "fetching") await query.promise?.catch(() => undefined);
}

interface Changed {
  userId: number;
  contactIds: number[];
  /** Conversations of these contacts that pass the filter, in any view. */
  rows: InboxRow[];
}

/** The pages with the changed conversations at their places, and without those that have left. */
export function withChanged(pages: Pages, queue: Queue, changes: Changed): Pages {
  const gone = new Set(changes.contactIds);
  const lists = pages.pages.map(({ data }) => data.filter((row) => !gone.has(row.contact_id)));
  const end = parseQueueCursor(pages.pages.at(-1)?.meta.next ?? "");
  for (const row of changes.rows) {
    if (!isInView(queue.view, factsOf(row), { now: always, userId: changes.userId })) continue;
    const place = placeOf(queue, row);
    // Beyond the last loaded row the next page brings it.
    if (end !== null && comparePlaces(queue.view, place, end) > 0) continue;
    const isBehind = (other: InboxRow) =>
      comparePlaces(queue.view, place, placeOf(queue, other)) < 0;
    const list = lists.find((one) => one.length > 0 && isBehind(one.at(-1) ?? row)) ?? lists.at(-1);
    const at = list?.findIndex(isBehind) ?? -1;
    list?.splice(at < 0 ? list.length : at, 0, row);
  }
  return {
    ...pages,
    pages: pages.pages.map(({ meta }, index) => ({ data: lists[index] ?? [], meta })),
  };
}

/** The API leaves out a snooze that is over, so any snooze of a row still lasts. */
const always = new Date(0);

function placeOf({ view, order }: Queue, row: InboxRow) {
  return placeInView(view, order, factsOf(row), always);
}

function factsOf(row: InboxRow) {
  return {
    id: row.id,
    status: row.status,
    customerWaitsSince: dateOf(row.customer_waits_since),
    snoozedUntil: dateOf(row.snoozed_until),
    assignedToUserId: row.assigned_to_user_id,
    sortAt: new Date(row.last_message_at),
  };
}

function dateOf(moment: string | null): Date | null {
  return moment === null ? null : new Date(moment);
}
