import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countWords } from "../../lib/count-words.ts";
import { queueCountQuery, queueQuery, viewCountsQuery } from "../../lib/inbox-queue.ts";
import { useViewLinks } from "../../lib/view-links.ts";
import { isNarrowed, type ListState } from "./list-state.ts";

/** Number of conversations in the list, in words; empty for none, and before they are known. */
export function useListCount(state: ListState | null): string {
  const { t } = useTranslation();
  const queue = state ?? { view: "needs_answer" as const, order: "queue" as const, filter: {} };
  const { data, hasNextPage } = useInfiniteQuery({ ...queueQuery(queue), enabled: false });
  const { isSuccess } = useQuery({ ...viewCountsQuery, enabled: false });
  const view = useViewLinks().find(({ isCurrent }) => isCurrent);
  const ofView = (state !== null && !isNarrowed(state) && view?.count) || "";
  // The server counts whole views, and lists of which a part is loaded.
  const isPart = state !== null && isSuccess && ofView === "" && hasNextPage;
  const counted = useQuery({ ...queueCountQuery(queue), enabled: isPart }).data;
  const meta = counted ?? data?.pages[0]?.meta;
  const rows = data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  if (state === null || ofView !== "" || meta === undefined || rows === 0) return ofView;
  if (!hasNextPage) return countWords(t, { total: rows, total_at_least: false });
  // A count that took too long knows fewer rows than the list.
  return countWords(t, { ...meta, total: Math.max(meta.total, rows) });
}
