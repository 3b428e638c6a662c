import { useMediaQuery } from "@mantine/hooks";
import { useSearchParams } from "react-router";
import { useSession } from "../../lib/session.ts";
import type { Resource } from "../../lib/appointments.ts";
import { useNow } from "../../lib/time.ts";
import { addDays, isDate, momentAt, wallTime, weekOf } from "../../lib/zoned-time.ts";
import type { Range } from "./api.ts";

/** State of the calendar, as the URL keeps it. */
export interface CalendarState {
  view: "day" | "week";
  /** True on a phone, which shows a list of one day. */
  asList: boolean;
  /** The chosen day, as `2026-11-24` in the account's time zone. */
  date: string;
  today: string;
  /** All days of the view. */
  days: string[];
  range: Range;
  /** The agendas of the view; null for all. A week begins with the first one. */
  agendaIds: number[] | null;
  /** Origin of an appointment's colour. */
  colour: "service" | "agenda";
  /** True where cancelled and replaced appointments are shown too. */
  all: boolean;
  /** Id of the opened appointment. With `moving` its form for another time is open. */
  openedId: number | null;
  moving: boolean;
  set: (values: Record<string, string | null>) => void;
}

/** The most agendas that one call of the API takes. */
const maxAgendas = 50;

/** Reads and changes the state in the URL. */
export function useCalendar(resources: Resource[]): CalendarState {
  const { account } = useSession();
  const zone = account.time_zone;
  const [params, setParams] = useSearchParams();
  const asList = useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false });
  const today = wallTime(new Date(useNow(60_000)).toISOString(), zone).date;
  const asked = params.get("date") ?? "";
  const date = isDate(asked) ? asked : today;
  const view = asList || params.get("view") === "day" ? "day" : "week";
  const days = view === "day" ? [date] : weekOf(date);
  const midnight = (day: string) => momentAt({ date: day, minutes: 0 }, zone);
  const first = resources.slice(0, 1).map(({ id }) => id);
  const standard = view === "week" && params.get("agenda") !== "all" ? first : [];
  const agendaIds = [agendasIn(params), standard].find((ids) => ids.length > 0) ?? null;
  return {
    view,
    asList,
    date,
    today,
    days,
    range: { from: midnight(days[0] ?? date), to: midnight(addDays(days.at(-1) ?? date, 1)) },
    agendaIds,
    colour: params.get("colour") === "agenda" ? "agenda" : "service",
    all: params.get("all") === "1",
    openedId: idOf(params.get("appointment")),
    moving: params.get("move") === "1",
    set: (values) =>
      setParams((before) => {
        const kept = [...before].filter(([name]) => !(name in values));
        const given = Object.entries(values).flatMap(([name, value]) =>
          value === null ? [] : [[name, value]],
        );
        return new URLSearchParams([...kept, ...given]);
      }),
  };
}

/** Ids of the agendas that the URL names. */
function agendasIn(params: URLSearchParams): number[] {
  const named = (params.get("agenda") ?? "").split(",").map(idOf);
  return [...new Set(named)].filter((id) => id !== null).slice(0, maxAgendas);
}

function idOf(text: string | null): number | null {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
