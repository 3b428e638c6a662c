import { z } from "zod";

/** Days of the week as ISO 8601 counts them. */
export const weekdays = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;
export type Weekday = (typeof weekdays)[number];

const maxRangesPerDay = 10;

const from = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, { error: "Use a time from 00:00 to 23:59.", abort: true })
  .meta({ example: "09:00" });
const to = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u, {
    error: "Use a time from 00:01 to 24:00, the end of the day.",
    abort: true,
  })
  .meta({ example: "14:00" });

const hoursRange = z.strictObject({ from, to }).superRefine((range, ctx) => {
  if (range.from < range.to) return;
  ctx.addIssue({
    code: "custom",
    path: ["to"],
    message: "A range ends after it begins. Past midnight it goes on in the next day's list.",
    params: { code: "invalid_range" },
  });
});

const dayHours = z
  .array(hoursRange)
  .max(maxRangesPerDay, `Use at most ${maxRangesPerDay} ranges for a day.`)
  .superRefine((ranges, ctx) => {
    ranges.forEach((range, index) => {
      const earlier = ranges[index - 1];
      if (earlier === undefined || earlier.to <= range.from) return;
      ctx.addIssue({
        code: "custom",
        path: [index, "from"],
        message: "Ranges of a day stand in order and do not overlap.",
        params: { code: "overlapping_ranges" },
      });
    });
  });

/**
 * Opening hours of a week, in local wall times. Each day has ranges, half open, in order and
 * without overlap. An empty list is a closed day. Hours past midnight are `to: "24:00"` and a range
 * from `00:00` on the next day. The two ranges read as one.
 */
export const weeklyHours = z.strictObject({
  monday: dayHours,
  tuesday: dayHours,
  wednesday: dayHours,
  thursday: dayHours,
  friday: dayHours,
  saturday: dayHours,
  sunday: dayHours,
} satisfies Record<Weekday, typeof dayHours>);
export type WeeklyHours = z.output<typeof weeklyHours>;

/** The minutes from midnight to a wall time such as `09:30`; 1,440 for `24:00`. */
export function minutesOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/**
 * Offsets such as `+05:00` are refused, because they have no summer time.
 * @returns true where `Intl` knows a time zone by this name.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/u.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A time zone by its IANA name. */
export const timeZone = z
  .string()
  .max(64, { error: "Use at most 64 characters.", abort: true })
  .refine(isTimeZone, "Use an IANA name such as America/Mexico_City.")
  .meta({ example: "America/Mexico_City" });
