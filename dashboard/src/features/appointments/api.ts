import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useMutationState,
  useQueryClient,
} from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { moveView, openingView } from "../../../../core/model/views/appointment.ts";
import type { RescheduleMode } from "../../../../core/model/appointment.ts";
import { ApiError, callApi } from "../../lib/api.ts";
import type { Appointment } from "../../lib/appointments.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";

/** Opening times and closures of a resource. */
export type OpeningTimes = z.output<typeof openingView>;
/** A move of an appointment, with its outcome. */
export type Move = z.output<typeof moveView>;

/** A range between two moments. */
export interface Range {
  from: string;
  to: string;
}

/** Rows per call, the maximum of the API. */
export const mostShown = 1_000;

/** The appointments of a range, of some agendas or of all. */
export function calendarQuery(range: Range, agendaIds: number[] | null) {
  const resource_id = agendaIds?.join();
  const query = { ...range, resource_id, limit: mostShown };
  return queryOptions({
    queryKey: [...liveKeys.appointments, "range", range, agendaIds],
    queryFn: async () => await callApi("GET /appointments", { query }),
    placeholderData: keepPreviousData,
  });
}

/** One appointment of any date. Its total shows if the account has any appointment yet. */
export const anyAppointmentQuery = queryOptions({
  queryKey: [...liveKeys.appointments, "any"],
  queryFn: async () => await callApi("GET /appointments", { query: { limit: 1 } }),
});

/** Opening times of all resources in a range. */
export function openingTimesQuery(range: Range) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "opening", range],
    queryFn: async () => await callApi("GET /opening-times", { query: { ...range } }),
    placeholderData: keepPreviousData,
  });
}

/** One appointment. */
export function appointmentQuery(id: number) {
  return queryOptions({
    queryKey: [...liveKeys.appointments, "one", id],
    queryFn: async () => await callApi("GET /appointments/:id", { id }),
  });
}

/** The newest moves of an appointment. */
export function movesQuery(id: number) {
  return queryOptions({
    queryKey: [...liveKeys.appointments, "moves", id],
    queryFn: async () => (await callApi("GET /appointments/:id/reschedules", { id })).data,
  });
}

/** The new time and agenda of an appointment, and the options of the move. */
export interface WantedMove {
  appointment: Appointment;
  start_time: string;
  resource_id: number;
  mode: RescheduleMode;
  outside_hours: boolean;
}

/** Callbacks after a move. They run also where another page is open by then. */
interface MoveEnds {
  onMoved?: (moved: Appointment, wanted: WantedMove) => void;
  onRefused?: (error: Error, wanted: WantedMove) => void;
}

const moveKey = ["move-appointment"];
const followMs = 1_000;

/**
 * Moves an appointment. The mutation ends when the move is committed or given up, however long that
 * takes.
 */
export function useMove({ onMoved, onRefused }: MoveEnds = {}) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: moveKey,
    mutationFn: async ({ appointment: { id }, ...body }: WantedMove): Promise<Appointment> => {
      const answer = await callApi("POST /appointments/:id/reschedule", { id, body });
      return "link" in answer ? await followMove(answer.id) : answer;
    },
    onSuccess: (moved, wanted) => onMoved?.(moved, wanted),
    onError: (error, wanted) => onRefused?.(error, wanted),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.appointments }),
  });
}

/** The moves that this page requested and that are not over. */
export function useWantedMoves(): WantedMove[] {
  return useMutationState({
    filters: { mutationKey: moveKey, status: "pending" },
    select: ({ state }) => state.variables as WantedMove,
  });
}

/** Actions on an appointment, other than a move. */
export type Step = "complete" | "no-show" | "reactivate" | "cancel";

/** Runs an action, and tells of a failure. The reason is used for a cancellation only. */
export function useStep(id: number) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, reason }: { step: Step; reason?: string }) =>
      step === "cancel"
        ? await callApi("POST /appointments/:id/cancel", { id, body: { reason } })
        : await callApi(`POST /appointments/:id/${step}`, { id }),
    // In the hook, not in the call: the drawer may be closed by then.
    onError: (error) => tellFailure(t("appointment.not_changed"), error),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.appointments }),
  });
}

async function followMove(id: number): Promise<Appointment> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, followMs));
    const move = await callApi("GET /reschedules/:id", { id }).catch(orLater);
    if (move?.state === "released") throw refusalOf(move);
    if (move?.state === "committed" && move.appointment !== null) return move.appointment;
  }
}

/**
 * Null while the server is unreachable: it will return, and the move continues without this page.
 */
function orLater(error: unknown): null {
  if (error instanceof ApiError && /^(network|service_unavailable)$/.test(error.code)) return null;
  throw error;
}

function refusalOf({ failure_code: code }: Move): ApiError {
  return new ApiError({
    code: code ?? "reschedule_failed",
    message: errorCodeText({ code: "reschedule_failed", message: "" }),
    details: null,
    retryAfterSeconds: null,
  });
}
