import { isDate } from "./zoned-time.ts";

/** Kind of a typed value: a day, a time of the day, or both. */
export type WallKind = "date" | "time" | "datetime";

/** `2026-11-24T09:30`, or one half of it, as people write it: `24/11/2026 09:30`. */
export function writtenWall(wall: string): string {
  return wall.replace(/^(\d{4})-(\d\d)-(\d\d)T?/, "$3/$2/$1 ").trim();
}

/**
 * The ISO form of a written day or time; null for anything else. The day precedes the month in both
 * languages. A pasted ISO form is read too.
 */
export function readWall(kind: WallKind, text: string): string | null {
  const words = text.trim().split(/,? +|T/);
  if (words.length !== (kind === "datetime" ? 2 : 1)) return null;
  const date = kind === "time" ? "" : dateIn(words[0] ?? "");
  const time = kind === "date" ? "" : timeIn(words.at(-1) ?? "");
  if (date === null || time === null) return null;
  return kind === "datetime" ? `${date}T${time}` : date + time;
}

function dateIn(text: string): string | null {
  const [, day = "", month = "", year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const date =
    year === undefined ? text : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(date) ? date : null;
}

function timeIn(text: string): string | null {
  const [, hour = "", minute = ""] = /^([01]?\d|2[0-3])[:.]([0-5]\d)$/.exec(text) ?? [];
  return hour === "" ? null : `${hour.padStart(2, "0")}:${minute}`;
}
