import { useInfiniteQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { timelineEntry } from "../../../core/model/views/contact.ts";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** An entry in the timeline of a contact. */
export type TimelineEntry = z.output<typeof timelineEntry>;

/**
 * Refetch interval in ms while a delivery waits for its first attempt. A delivery that succeeds at
 * its first attempt sends no change event.
 */
const firstAttemptMs = 3_000;

/** Timeline of a contact, newest first, with paging to older entries. */
export function useContactTimeline(contactId: number, limit: number) {
  return useInfiniteQuery({
    queryKey: [...liveKeys.timeline(contactId), limit],
    queryFn: async ({ pageParam }) =>
      await callApi("GET /contacts/:id/timeline", {
        id: contactId,
        query: { limit, before: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    refetchInterval: ({ state }) => {
      const entries = state.data?.pages.flatMap(({ data }) => data) ?? [];
      const states = entries.flatMap(({ deliveries }) => deliveries.map(({ state: one }) => one));
      const leaving = states.includes("queued") || states.includes("sending");
      return leaving ? firstAttemptMs : false;
    },
  });
}
