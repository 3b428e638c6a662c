import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi, readAll, type AnswerOf, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Connected calendar accounts, and the apps of this installation at their providers. */
export type Calendars = AnswerOf<"GET /calendars">;
/** A connected account of Google or Calendly. */
export type Connection = Calendars["connections"][number];
/** A connected Google account. */
export type GoogleConnection = Connection & { google: NonNullable<Connection["google"]> };
/** A connected Calendly account. */
export type CalendlyConnection = Connection & { calendly: NonNullable<Connection["calendly"]> };
/** A Google calendar that is kept in step with an agenda. */
export type GoogleLink = GoogleConnection["google"]["links"][number];
/** A calendar of a Google account. */
export type GoogleCalendar = AnswerOf<"GET /calendars/google/:id/calendars">["calendars"][number];

const key = liveKeys.calendars;
/** A sync that changed nothing sends no change event, and moves the time of the last sync. */
const followMs = 15_000;

/** Every connection of the account, oldest first. */
export const calendarsQuery = queryOptions({
  queryKey: [...key, "connections"],
  queryFn: async () => await callApi("GET /calendars"),
  refetchInterval: followMs,
});

/** The calendars that a Google account may write to. Google is asked each time. */
export function useGoogleCalendars(id: number) {
  return useQuery({
    queryKey: [...key, "google", id],
    queryFn: async () => (await callApi("GET /calendars/google/:id/calendars", { id })).calendars,
    gcTime: 0,
  });
}

/** Bookings of Calendly that wait for an agenda, oldest first. */
export function unmappedQuery(id: number) {
  return queryOptions({
    queryKey: [...key, "unmapped", id],
    queryFn: async () =>
      await readAll(
        async (query) => await callApi("GET /calendars/calendly/:id/unmapped", { id, query }),
      ),
  });
}

/**
 * Asks for the address at a provider where a person grants the access.
 * @param connectionId connection that is connected again, with the same account
 */
export function useConsentAddress(
  provider: Connection["provider"],
  connectionId: number | undefined,
) {
  return useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const query = { connection_id: connectionId };
      return (await callApi(`GET /calendars/${provider}/connect`, { query })).url;
    },
  });
}

/** `gcTime` 0: the cache drops a call with its token as soon as its page is left. */
function useCalendarMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    gcTime: 0,
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}

/** Connects a Calendly account, or gives it a new token. Calendly is asked first. */
export function useConnectCalendly() {
  return useCalendarMutation(
    async (body: BodyOf<"POST /calendars/calendly">) =>
      await callApi("POST /calendars/calendly", { body }),
  );
}

/** Replaces the agendas of a Google account's calendars. */
export function useSaveLinks(id: number) {
  return useCalendarMutation(
    async (body: BodyOf<"PATCH /calendars/google/:id">) =>
      await callApi("PATCH /calendars/google/:id", { id, body }),
  );
}

/** Changes agendas of Calendly's users and services of its event types. */
export function useSaveMapping(id: number) {
  return useCalendarMutation(
    async (body: BodyOf<"PATCH /calendars/calendly/:id">) =>
      await callApi("PATCH /calendars/calendly/:id", { id, body }),
  );
}

/** Ends a connection. Its appointments stay. */
export function useDisconnect(id: number) {
  return useCalendarMutation(async () => await callApi("POST /calendars/:id/disconnect", { id }));
}

/** Starts a sync of all calendars of a connection at once. */
export function useSync(id: number) {
  return useCalendarMutation(async () => await callApi("POST /calendars/:id/sync", { id }));
}
