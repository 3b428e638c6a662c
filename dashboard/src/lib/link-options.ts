import { queryOptions } from "@tanstack/react-query";
import { callApi } from "./api.ts";

/** `mail` is true where a mail server is set up, so that links and notices can go by mail. */
export const linkOptionsQuery = queryOptions({
  queryKey: ["link-options"],
  queryFn: async () => await callApi("GET /links/options"),
  staleTime: Infinity,
});
