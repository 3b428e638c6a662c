import { queryOptions } from "@tanstack/react-query";
import type { WidgetView } from "../../../core/model/widget.ts";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** A widget of web chat, without its secret. */
export type Widget = WidgetView;

/** Refetch interval of a page that waits for the first visit. A visit sends no change event. */
const followMs = 10_000;

/** Every widget of the account, oldest first. */
export const widgetsQuery = queryOptions({
  queryKey: [...liveKeys.channels, "widgets"],
  queryFn: async () => await callApi("GET /widgets"),
  refetchInterval: followMs,
});
