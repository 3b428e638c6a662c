import { expect, test } from "vitest";
import {
  appointmentStatuses,
  hasBegun,
  moveTime,
  occupiesTime,
  takenReason,
  transitAppointment,
  type AppointmentTrigger,
} from "../../../core/model/appointment.ts";

const triggers: AppointmentTrigger[] = ["confirm", "complete", "miss", "cancel", "move", "replace"];
const replaced = "appointment_replaced";
const refused = "appointment_not_confirmed";

/** Next status, event and `takes` where the time must be free; by status and trigger. */
const table: Record<string, string[]> = {
  confirmed: [
    "confirmed",
    "completed",
    "no_show",
    "cancelled appointment.cancelled",
    "confirmed appointment.rescheduled",
    "rescheduled appointment.rescheduled",
  ],
  rescheduled: [replaced, replaced, replaced, replaced, replaced, replaced],
  cancelled: [
    "confirmed appointment.created takes",
    refused,
    refused,
    "cancelled",
    refused,
    refused,
  ],
  completed: ["confirmed", "completed", "no_show", refused, refused, refused],
  no_show: ["confirmed takes", "completed takes", "no_show", refused, refused, refused],
};

const cells = appointmentStatuses.flatMap((from) =>
  triggers.map((trigger, index) => [from, trigger, table[from]?.[index]] as const),
);

test.each(cells)("%s, %s: %s", (from, trigger, expected) => {
  const next = transitAppointment(from, trigger, true);
  const told =
    typeof next === "string"
      ? next
      : [next.status, next.event ?? "", next.takesTime ? "takes" : ""].filter(Boolean).join(" ");
  expect(told).toBe(expected);
});

test("before its start a visit is neither completed nor missed, and all else is as after it", () => {
  for (const [from, trigger, expected] of cells) {
    const next = transitAppointment(from, trigger, false);
    const changes = expected !== replaced && expected !== refused && !expected?.startsWith(from);
    const marked = changes && (trigger === "complete" || trigger === "miss");
    expect(next).toEqual(
      marked ? "appointment_not_begun" : transitAppointment(from, trigger, true),
    );
  }
});

test("a visit has begun at its start", () => {
  const start = new Date("2030-03-05T16:00:00.000Z");
  expect(hasBegun(start, start)).toBe(true);
  expect(hasBegun(start, new Date(start.getTime() - 1))).toBe(false);
});

test("a visit keeps its time, and what will not or did not take place frees it", () => {
  expect(appointmentStatuses.filter(occupiesTime)).toEqual(["confirmed", "completed"]);
});

test("a moved time keeps its length, or gets another one, and its buffers", () => {
  const at = (time: string) => new Date(`2030-03-05T${time}:00Z`);
  const time = {
    startTime: at("10:00"),
    endTime: at("10:30"),
    blockedFrom: at("09:50"),
    blockedUntil: at("10:50"),
  };
  expect(moveTime(time, at("12:00"))).toEqual({
    startTime: at("12:00"),
    endTime: at("12:30"),
    blockedFrom: at("11:50"),
    blockedUntil: at("12:50"),
  });
  expect(moveTime(time, at("12:00"), at("14:00"))).toMatchObject({
    endTime: at("14:00"),
    blockedUntil: at("14:20"),
  });
});

test("what stands in the way of a time is named, an appointment before a buffer and a hold", () => {
  const at = (time: string) => new Date(`2030-03-05T${time}:00Z`);
  const span = (from: string, start: string, end: string, until: string) => ({
    startTime: at(start),
    endTime: at(end),
    blockedFrom: at(from),
    blockedUntil: at(until),
    kind: "appointment" as const,
  });
  const wanted = span("10:00", "10:00", "10:30", "10:40");
  const buffer = span("09:00", "09:00", "09:30", "10:10");
  const meets = span("10:15", "10:15", "10:45", "10:45");
  const hold = { ...meets, kind: "hold" as const };
  const busy = { ...meets, kind: "busy" as const };
  // The buffer of the wanted time itself reaches into the next appointment.
  const next = span("10:30", "10:30", "11:00", "11:00");
  expect(takenReason(wanted, [buffer])).toBe("buffer");
  expect(takenReason(wanted, [next])).toBe("buffer");
  expect(takenReason(wanted, [hold])).toBe("hold");
  expect(takenReason(wanted, [busy])).toBe("busy");
  expect(takenReason(wanted, [busy, hold])).toBe("hold");
  expect(takenReason(wanted, [hold, buffer])).toBe("buffer");
  expect(takenReason(wanted, [buffer, hold, meets])).toBe("appointment");
});
