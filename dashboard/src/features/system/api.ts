import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { systemView } from "../../../../core/model/views/system.ts";
import { callForData } from "../../lib/api.ts";

/** How the installation does. */
export type System = z.output<typeof systemView>;
/** A delivery whose last attempt failed. */
export type Fault = System["faults"][number];

/** The stream does not tell of workers and the outbox, so they are looked at again as often as workers report. */
const againMs = 5_000;

/** How the installation does, now and from then on. */
export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: async () => await callForData<System>("GET", "/system"),
  refetchInterval: againMs,
  staleTime: 0,
});
