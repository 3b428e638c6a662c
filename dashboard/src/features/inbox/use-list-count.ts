import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countWords } from "../../lib/count-words.ts";
import { queueQuery, viewCountsQuery } from "../../lib/inbox-queue.ts";
import type { ListState } from "./list-state.ts";

/** Number of conversations in the list, in words; empty for none, and before they are known. */
export function useListCount(state: ListState | null): string {
  const { t } = useTranslation();
  const queue = state ?? { view: "needs_answer" as const, order: "queue" as const, filter: {} };
  const { data } = useInfiniteQuery({ ...queueQuery(queue), enabled: false });
  const counts = useQuery({ ...viewCountsQuery, enabled: false }).data;
  if (state === null) return "";
  const isWhole = Object.keys(state.filter).length === 0;
  const count = (isWhole ? counts?.views[state.view] : undefined) ?? data?.pages[0]?.meta;
  return count === undefined || count.total === 0 ? "" : countWords(t, count);
}
