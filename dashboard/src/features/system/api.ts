import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { systemView } from "../../../../core/model/views/system.ts";
import { callApi } from "../../lib/api.ts";

/** State of the installation. */
export type System = z.output<typeof systemView>;
/** A delivery whose last attempt failed. */
export type Fault = System["faults"][number];

/**
 * Refetch interval, equal to the report interval of workers. Workers and outbox send no change
 * events.
 */
const againMs = 5_000;

/** State of the installation, refetched every few seconds. */
export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: async () => await callApi("GET /system"),
  refetchInterval: againMs,
  staleTime: 0,
});
