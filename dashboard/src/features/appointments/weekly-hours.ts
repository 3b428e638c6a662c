import { weekdays, type Weekday, type WeeklyHours } from "../../../../core/model/schedule.ts";

/** What a new agenda begins with. */
export const officeHours: WeeklyHours = {
  monday: [{ from: "09:00", to: "17:00" }],
  tuesday: [{ from: "09:00", to: "17:00" }],
  wednesday: [{ from: "09:00", to: "17:00" }],
  thursday: [{ from: "09:00", to: "17:00" }],
  friday: [{ from: "09:00", to: "17:00" }],
  saturday: [],
  sunday: [],
};

/** The hours with those of one day on every day. */
export function withDayCopied(hours: WeeklyHours, day: Weekday): WeeklyHours {
  const copied = weekdays.map((one) => [one, hours[day]] as const);
  return Object.fromEntries(copied) as WeeklyHours;
}

/** A range more on a day: after the last one, as far as there is room. */
export function withRangeAdded(hours: WeeklyHours, day: Weekday): WeeklyHours {
  const last = hours[day].at(-1);
  if (last === undefined) return { ...hours, [day]: [{ from: "09:00", to: "17:00" }] };
  const hour = Number(last.to.slice(0, 2)) + 1;
  if (hour > 22) return hours;
  const at = (one: number) => `${String(one).padStart(2, "0")}:00`;
  return { ...hours, [day]: [...hours[day], { from: at(hour), to: at(Math.min(hour + 3, 24)) }] };
}
