import { queryOptions } from "@tanstack/react-query";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** The account with its settings. */
export const accountQuery = queryOptions({
  queryKey: liveKeys.account,
  queryFn: async () => await callApi("GET /account"),
});
