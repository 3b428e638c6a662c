import {
  calendarCredentials,
  type CalendarAccess,
  type CalendarTrouble,
} from "../core/model/calendar.ts";
import type { GoogleEventBody } from "../core/calendars/google-event.ts";
import type {
  CalendarReadInput,
  CalendarReadOutcome,
} from "../core/model/workflow/calendar-reading.ts";
import {
  applyPage,
  applyVerified,
  settleReading,
  type PageResult,
} from "../core/services/calendar-intake/apply-page.ts";
import {
  beginReading,
  postponeReading,
  restartReading,
  type CalendarReading,
  type ReadingStep,
} from "../core/services/calendar-intake/reading.ts";
import type { ConnectedLink } from "../core/services/calendars/calendar-links.ts";
import { openCredentials } from "../core/services/calendars/connections.ts";
import type { CalendarLink } from "../db/entities/calendar-link.ts";
import { transaction, type Tx, type TxOptions } from "../db/transaction.ts";
import { backOffMs, recordTrouble } from "./calendars/calendar-trouble.ts";
import type { ActivityDeps } from "./deps.ts";
import { withHeartbeats } from "./with-heartbeats.ts";

type ReadDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "calendarPorts" | "log">;
type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A calendar is connected in the Dashboard, so its contacts count as made there. */
export function calendarActor(accountId: number): TxOptions {
  return { actor: { type: "calendar", accountId } };
}

/** Credentials of a link, for one call. */
export function accessOf(
  { secretBox }: Pick<ReadDeps, "secretBox">,
  {
    link,
    connection,
  }: { link: Pick<CalendarLink, "calendarId">; connection: ConnectedLink["connection"] },
): CalendarAccess {
  const credentials = calendarCredentials.parse(openCredentials(secretBox, connection));
  return { connectionId: connection.id, calendarId: link.calendarId, credentials };
}

/** The activity that reads one page of a calendar, and applies it. */
export function createReadCalendar(deps: ReadDeps) {
  return {
    /** Does the part of a reading that is due. It may run twice, and in parallel. */
    async readCalendar(input: CalendarReadInput): Promise<CalendarReadOutcome> {
      const { linkId, begins } = input;
      const run: Run = (work) => transaction(deps.dataSource, calendarActor(input.accountId), work);
      const reading = await run((tx) => beginReading(tx, linkId, begins));
      if (reading === null) return { state: "ended" };
      const result = await withHeartbeats(() => readStep(deps, run, reading, input.announced));
      if ("kind" in result) return await endInTrouble(run, reading, result, input);
      const { more, waitMs, changed } = result;
      const { kind } = reading.step;
      deps.log.info({ link_id: linkId, part: kind, changed, more }, "calendar.read");
      return more ? { state: "more", changed } : { state: "idle", waitMs };
    },
  };
}

async function readStep(
  deps: ReadDeps,
  run: Run,
  reading: CalendarReading,
  announced: boolean,
): Promise<PageResult | CalendarTrouble> {
  const { step } = reading;
  switch (step.kind) {
    case "list":
      return await readPage(deps, run, { ...reading, step }, announced);
    case "verify":
      return await verifyEvents(deps, run, reading, step.eventIds);
    case "settle":
      return await run((tx) => settleReading(tx, reading));
  }
}

async function readPage(
  deps: ReadDeps,
  run: Run,
  reading: CalendarReading & { step: Extract<ReadingStep, { kind: "list" }> },
  announced: boolean,
): Promise<PageResult | CalendarTrouble> {
  const { link, step } = reading;
  const page = await deps.calendarPorts[link.provider].listEvents(accessOf(deps, reading), step);
  if (page.kind === "page") return await run((tx) => applyPage(tx, reading, page, announced));
  if (page.kind !== "expired") return page;
  const isFirstPage = "from" in step.bounds && step.pageToken === null;
  if (isFirstPage) return { kind: "refused", code: "http_400" };
  const again = await run((tx) => restartReading(tx, link));
  return { ...again, changed: 0 };
}

async function verifyEvents(
  deps: ReadDeps,
  run: Run,
  reading: CalendarReading,
  eventIds: readonly string[],
): Promise<PageResult | CalendarTrouble> {
  const port = deps.calendarPorts[reading.link.provider];
  const access = accessOf(deps, reading);
  const found: { eventId: string; event: GoogleEventBody | null }[] = [];
  for (const eventId of eventIds) {
    const result = await port.getEvent(access, eventId);
    if (result.kind === "event") found.push({ eventId, event: result.event });
    else if (result.kind === "gone") found.push({ eventId, event: null });
    else return result;
  }
  return await run((tx) => applyVerified(tx, reading, found));
}

async function endInTrouble(
  run: Run,
  reading: CalendarReading,
  trouble: CalendarTrouble,
  { failures }: CalendarReadInput,
): Promise<CalendarReadOutcome> {
  const waitMs = backOffMs(failures);
  const isOver = await run(async (tx) => {
    await postponeReading(tx, reading.link, waitMs);
    return await recordTrouble(tx, reading, trouble);
  });
  return isOver ? { state: "ended" } : { state: "waiting", waitMs, code: trouble.code };
}
