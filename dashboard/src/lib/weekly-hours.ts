import { weekdays, type Weekday, type WeeklyHours } from "../../../core/model/schedule.ts";

/** Weekly hours of a new agenda. */
export const officeHours: WeeklyHours = {
  monday: [{ from: "09:00", to: "17:00" }],
  tuesday: [{ from: "09:00", to: "17:00" }],
  wednesday: [{ from: "09:00", to: "17:00" }],
  thursday: [{ from: "09:00", to: "17:00" }],
  friday: [{ from: "09:00", to: "17:00" }],
  saturday: [],
  sunday: [],
};

/** Weekly hours with the ranges of one day on every day. */
export function withDayCopied(hours: WeeklyHours, day: Weekday): WeeklyHours {
  const copied = weekdays.map((one) => [one, hours[day]] as const);
  return Object.fromEntries(copied) as WeeklyHours;
}

/**
 * Weekly hours with one more range on a day, an hour after the last one. Unchanged where that would
 * start after 22:00.
 */
export function withRangeAdded(hours: WeeklyHours, day: Weekday): WeeklyHours {
  const last = hours[day].at(-1);
  if (last === undefined) return { ...hours, [day]: [{ from: "09:00", to: "17:00" }] };
  const hour = Number(last.to.slice(0, 2)) + 1;
  if (hour > 22) return hours;
  const at = (one: number) => `${String(one).padStart(2, "0")}:00`;
  return { ...hours, [day]: [...hours[day], { from: at(hour), to: at(Math.min(hour + 3, 24)) }] };
}
