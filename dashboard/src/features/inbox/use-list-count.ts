import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { countWords } from "../../lib/count-words.ts";
import { queueQuery } from "../../lib/inbox-queue.ts";
import { useViewLinks } from "../../lib/view-links.ts";
import { isNarrowed, type ListState } from "./list-state.ts";

/** Number of conversations in the list, in words; empty for none, and before they are known. */
export function useListCount(state: ListState | null): string {
  const { t } = useTranslation();
  const queue = state ?? { view: "needs_answer" as const, order: "queue" as const, filter: {} };
  const { data } = useInfiniteQuery({ ...queueQuery(queue), enabled: false });
  const view = useViewLinks().find(({ isCurrent }) => isCurrent);
  if (state === null) return "";
  const meta = data?.pages[0]?.meta;
  const loaded = meta?.total ? countWords(t, meta) : "";
  // The server counts whole views. The list cannot tell a new row from one of a later page.
  return (isNarrowed(state) ? "" : view?.count) || loaded;
}
