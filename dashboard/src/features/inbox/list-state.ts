import { useSearchParams } from "react-router";
import { restChannels, type RestChannel } from "../../../../core/model/channels.ts";
import type { ListFilter } from "./api.ts";

/** The tabs above the list. */
export const views = ["open", "mine", "handed_off", "waiting", "all"] as const;
export type View = (typeof views)[number];

/** Filters of the list. The URL keeps them, so that a view can be shared and reopened. */
export interface ListState {
  view: View;
  /** Handed-off conversations: answered by a person, waiting for a person, or null for both. */
  answered: "true" | "false" | null;
  channel: RestChannel | null;
  search: string;
}

/** Reads and writes the filters in the URL. */
export function useListState(): [ListState, (change: Partial<ListState>) => void] {
  const [params, setParams] = useSearchParams();
  const state: ListState = {
    view: views.find((one) => one === params.get("view")) ?? "open",
    answered: (["true", "false"] as const).find((one) => one === params.get("answered")) ?? null,
    channel: restChannels.find((one) => one === params.get("channel")) ?? null,
    search: (params.get("search") ?? "").slice(0, 100),
  };
  const change = (next: Partial<ListState>): void => {
    const merged = { ...state, ...next };
    setParams(
      {
        ...(merged.view === "open" ? {} : { view: merged.view }),
        ...(merged.view !== "handed_off" || merged.answered === null
          ? {}
          : { answered: merged.answered }),
        ...(merged.channel === null ? {} : { channel: merged.channel }),
        ...(merged.search === "" ? {} : { search: merged.search }),
      },
      { replace: true },
    );
  };
  return [state, change];
}

/** The filters in the shape of the API. */
export function filterOf({ view, answered, channel, search }: ListState): ListFilter {
  return {
    ...(view === "handed_off" && answered !== null ? { answered } : viewFilter(view)),
    ...(channel === null ? {} : { channel }),
    ...(search.trim() === "" ? {} : { search: search.trim() }),
  };
}

function viewFilter(view: View): ListFilter {
  switch (view) {
    case "open":
      return { open: "true" };
    case "mine":
      return { assigned_to: "me", open: "true" };
    case "handed_off":
    case "waiting":
      return { status: view };
    case "all":
      return {};
  }
}
