import { DateTime, Info } from "luxon";
import { weekdays, type WeeklyHours } from "../../model/schedule.ts";
import type { Locale } from "../../model/user.ts";
import type { ContextResource } from "../context.ts";
import { wordsOfAppointment, wordsOfDay, type FlowTurn } from "./flow-turn.ts";
import { texts } from "./texts.ts";

/** Answers from the account's own rows to the questions of the burst. */
export function listFacts(turn: FlowTurn): string[] {
  const { context, reading } = turn;
  const t = texts[reading.language];
  const { intents } = reading;
  const facts: string[] = [];
  if (intents.has("hours") && context.resources.length > 0) facts.push(hoursText(turn));
  if (intents.has("address") && context.account.address !== null) {
    facts.push(t.address(context.account.address));
  }
  if (intents.has("services") && context.services.length > 0) {
    facts.push(
      t.services(context.services.map((one) => `${one.name} (${t.minutes(one.durationMinutes)})`)),
    );
  }
  if (intents.has("agendas") && context.resources.length > 0) {
    facts.push(t.resources(context.resources.map(({ name }) => name)));
  }
  if (intents.has("mine")) {
    const own = context.appointments.map((one) => wordsOfAppointment(turn, one));
    facts.push(own.length === 0 ? t.noAppointments : t.mine(own));
  }
  return facts;
}

/** The hours of the day that the burst names, or of the week. */
function hoursText(turn: FlowTurn): string {
  const { context, reading } = turn;
  const t = texts[reading.language];
  const { days } = reading.dates;
  if (days !== null && days.from === days.to) {
    const weekday = weekdays[DateTime.fromISO(days.from).weekday - 1] ?? "monday";
    return t.hoursOfDay(wordsOfDay(turn, days.from), rangesOf(unionOf(context.resources, weekday)));
  }
  const week = weekdays.map((weekday) => rangesOf(unionOf(context.resources, weekday)));
  return t.hours(groupDays(week, reading.language, t.closed));
}

type Ranges = WeeklyHours["monday"];

/** The times of a weekday at which at least one agenda is open. */
function unionOf(resources: readonly ContextResource[], weekday: keyof WeeklyHours): Ranges {
  const ranges = resources
    .flatMap(({ weeklyHours }) => weeklyHours[weekday])
    .toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const merged: Ranges = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last === undefined || range.from > last.to) merged.push({ ...range });
    else if (range.to > last.to) last.to = range.to;
  }
  return merged;
}

const rangesOf = (ranges: Ranges): string =>
  ranges.map(({ from, to }) => `${from}–${to}`).join(", ");

/** Days in a row with the same hours share a line. */
function groupDays(week: readonly string[], language: Locale, closed: string): string[] {
  const names = Info.weekdays("long", { locale: language });
  const groups: { first: number; last: number; ranges: string }[] = [];
  week.forEach((ranges, index) => {
    const last = groups.at(-1);
    if (last !== undefined && last.ranges === ranges) last.last = index;
    else groups.push({ first: index, last: index, ranges });
  });
  return groups.map(({ first, last, ranges }) => {
    const joint =
      last - first === 1
        ? language === "es"
          ? " y "
          : " and "
        : language === "es"
          ? " a "
          : " to ";
    const days = first === last ? names[first] : `${names[first]}${joint}${names[last]}`;
    return `${days}: ${ranges === "" ? closed : ranges}`;
  });
}
