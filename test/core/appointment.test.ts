import { expect, test } from "vitest";
import {
  appointmentStatuses,
  hasBegun,
  moveTime,
  occupiesTime,
  transitAppointment,
  type AppointmentTrigger,
} from "../../core/model/appointment.ts";

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
