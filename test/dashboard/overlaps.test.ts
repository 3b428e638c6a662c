import { expect, test } from "vitest";
import { overlapsIn } from "../../dashboard/src/features/appointments/overlaps.ts";

type Place = Parameters<typeof overlapsIn>[0][number];

/** An appointment of agenda 1 at `from` to `to`, such as 9 and 10, on one day. */
function place(id: number, from: number, to: number, given: Partial<Place["appointment"]> = {}) {
  const at = (hour: number): string => `2030-03-05T${String(hour).padStart(2, "0")}:00:00.000Z`;
  return {
    appointment: { id, status: "confirmed" as const, source: "google", ...given },
    start_time: at(from),
    end_time: at(to),
    resource_id: 1,
  };
}

test("both of two appointments at the same time overlap; one that begins at the other's end does not", () => {
  const places = [place(1, 9, 12), place(2, 10, 11), place(3, 11, 12), place(4, 12, 13)];
  expect(overlapsIn(places)).toEqual(new Set([1, 2, 3]));
});

test("appointments of two agendas, and cancelled ones, overlap nothing", () => {
  const other = { ...place(2, 9, 10), resource_id: 2 };
  expect(overlapsIn([place(1, 9, 10), other])).toEqual(new Set());
  expect(overlapsIn([place(1, 9, 10), place(2, 9, 10, { status: "cancelled" })])).toEqual(
    new Set(),
  );
});

test("invitees of one group event of Calendly do not overlap each other, but another appointment", () => {
  const group = [place(1, 9, 10, { source: "calendly" }), place(2, 9, 10, { source: "calendly" })];
  expect(overlapsIn(group)).toEqual(new Set());
  expect(overlapsIn([...group, place(3, 9, 10)])).toEqual(new Set([1, 2, 3]));
});
