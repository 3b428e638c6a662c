import { useSearchParams } from "react-router";
import { restChannels } from "../../../../core/model/channels.ts";
import { conversationStatuses } from "../../../../core/model/conversation.ts";
import { inboxOrders, inboxViews } from "../../../../core/model/inbox-queue.ts";
import type { SavedView } from "../../../../core/model/saved-view.ts";
import { maxSearchLength } from "../../../../core/model/wire.ts";
import { useSavedViews, type Queue, type QueueFilter } from "../../lib/inbox-queue.ts";

/** The list that the URL names. */
export interface ListState extends Queue {
  /** The saved view that it begins with; null for a view of the inbox. */
  saved: SavedView | null;
}

/** New values of the order and of filters; null takes a filter away. */
export type ListChange = Partial<Record<"order" | keyof QueueFilter, string | null>>;

/** Filters of the list, in the order in which the head names them. */
export const filterNames = [
  "channel",
  "assigned_to",
  "status",
  "answered",
  "stage_id",
  "tag",
  "unread",
  "search",
] as const satisfies (keyof QueueFilter)[];

/** Value of a filter in the URL that takes away the one of a saved view. */
const none = "any";

/**
 * The list that the URL names, so that it can be shared and reopened. `loading` until the saved
 * views are known, `gone` for a saved view that was deleted or is not shared.
 */
export function useListState(): [ListState | "loading" | "gone", (change: ListChange) => void] {
  const [params, setParams] = useSearchParams();
  const views = useSavedViews();
  const state = stateOf(params, views);
  const change = (next: ListChange): void =>
    setParams(
      (before) => {
        const { saved } = typeof state === "string" ? { saved: null } : state;
        return changedParams(before, next, saved);
      },
      { replace: true },
    );
  return [state, change];
}

/** The list that the parameters of a URL name, among these saved views. */
export function stateOf(
  params: URLSearchParams,
  views: SavedView[] | undefined,
): ListState | "loading" | "gone" {
  const name = params.get("view") ?? "needs_answer";
  const own = filterIn(params);
  // A link of an older edition.
  if (name === "handed_off") {
    const status = own.answered === undefined ? { status: "handed_off" as const } : {};
    return {
      view: "all",
      order: orderIn(params) ?? "queue",
      filter: { ...own, ...status },
      saved: null,
    };
  }
  if (!/^[1-9]\d{0,14}$/u.test(name)) {
    const view = inboxViews.find((one) => one === name) ?? "needs_answer";
    return { view, order: orderIn(params) ?? "queue", filter: own, saved: null };
  }
  const saved = views?.find(({ id }) => String(id) === name);
  if (saved === undefined) return views === undefined ? "loading" : "gone";
  const base = Object.entries(saved.filter).filter(([key]) => params.get(key) === null);
  const filter = {
    ...Object.fromEntries(base.map(([key, value]) => [key, String(value)])),
    ...own,
  };
  return { view: saved.view, order: orderIn(params) ?? saved.order, filter, saved };
}

function orderIn(params: URLSearchParams) {
  return inboxOrders.find((one) => one === params.get("order"));
}

function filterIn(params: URLSearchParams): QueueFilter {
  const text = (name: string): string => (params.get(name) ?? "").trim().slice(0, maxSearchLength);
  const read: Record<keyof QueueFilter, string | undefined> = {
    channel: restChannels.find((one) => one === text("channel")),
    status: conversationStatuses.find((one) => one === text("status")),
    answered: /^(true|false)$/u.exec(text("answered"))?.[0],
    unread: text("unread") === "true" ? "true" : undefined,
    assigned_to: /^(me|nobody|[1-9]\d{0,14})$/u.exec(text("assigned_to"))?.[0],
    stage_id: /^[1-9]\d{0,14}$/u.exec(text("stage_id"))?.[0],
    tag: text("tag") === none ? undefined : text("tag") || undefined,
    search: text("search") || undefined,
  };
  const set = Object.entries(read).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set);
}

function changedParams(
  before: URLSearchParams,
  change: ListChange,
  saved: SavedView | null,
): URLSearchParams {
  const next = new URLSearchParams(before);
  if (next.get("view") === "handed_off") {
    next.set("view", "all");
    if (!next.has("answered")) next.set("status", "handed_off");
  }
  for (const [name, value] of Object.entries(change)) {
    const standard = saved === null ? standards[name] : standardOf(saved, name);
    if ((value ?? undefined) === standard) next.delete(name);
    else next.set(name, value ?? none);
  }
  return next;
}

const standards: Partial<Record<string, string>> = { order: "queue" };

/** The value that a saved view gives by itself. */
function standardOf({ filter, order }: SavedView, name: string): string | undefined {
  if (name === "order") return order;
  const value = Object.entries(filter).find(([key]) => key === name)?.[1];
  return value === undefined ? undefined : String(value);
}

/** @returns true where the list has other filters than its saved view, or any without one. */
export function isNarrowed({ filter, saved }: ListState): boolean {
  const own = Object.entries(filter);
  if (saved === null) return own.length > 0;
  return (
    own.length !== Object.keys(saved.filter).length ||
    own.some(([name, value]) => standardOf(saved, name) !== value)
  );
}
