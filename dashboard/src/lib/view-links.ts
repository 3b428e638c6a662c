import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { inboxViews } from "../../../core/model/inbox-queue.ts";
import { paths } from "../paths.ts";
import { countWords } from "./count-words.ts";
import { useSavedViews, viewCountsQuery } from "./inbox-queue.ts";

/** Link to a view of the inbox. */
export interface ViewLink {
  /** A view, or the id of a saved view. */
  key: string;
  label: string;
  to: string;
  /** Number of conversations in words, such as `7` or `1,000+`; empty for none, or not yet. */
  count: string;
  isSaved: boolean;
  isCurrent: boolean;
}

/** Links to the views of the inbox, and to the saved views after them. */
export function useViewLinks(): ViewLink[] {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const { data: counts } = useQuery({ ...viewCountsQuery, enabled: false });
  const saved = useSavedViews() ?? [];
  const chosen = new URLSearchParams(search).get("view") ?? "needs_answer";
  const current = chosen === "handed_off" ? "all" : chosen;
  const link = (key: string, label: string, count: Counted | undefined) => ({
    key,
    label,
    to: `${paths.inbox}?view=${key}`,
    count: count === undefined || count.total === 0 ? "" : countWords(t, count),
    isCurrent: pathname.startsWith(paths.inbox) && key === current,
  });
  return [
    ...inboxViews.map((view) => ({
      ...link(view, t(`inbox.views.${view}`), counts?.views[view]),
      isSaved: false,
    })),
    ...saved.map(({ id, name }) => ({
      ...link(
        String(id),
        name,
        counts?.saved.find((one) => one.id === id),
      ),
      isSaved: true,
    })),
  ];
}

interface Counted {
  total: number;
  total_at_least: boolean;
}
