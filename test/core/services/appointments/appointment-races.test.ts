import { expect, test, vi } from "vitest";
import { AppError } from "../../../../core/errors.ts";
import {
  commitReschedule,
  releaseReschedule,
  requestReschedule,
} from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  cancelAppointment,
  completeAppointment,
  markNoShow,
  reactivateAppointment,
} from "../../../../core/services/appointments/appointment-status.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { getContactRow } from "../../../../core/services/contacts/contact-records.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { Contact } from "../../../../db/entities/contact.ts";
import {
  afterwards,
  at,
  createTestAgenda,
  createTestResource,
  createTestService,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

/** Numbers from 0 up to below `limit` that look random and are the same in every run of a seed. */
function numbersOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** What a transaction came to: `ok` or the code of its refusal. Anything else, as a deadlock, is thrown. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "ok";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** Pairs of one resource that hold the same time: appointments with each other and with holds. */
async function listOverlaps(accountId: number): Promise<unknown[]> {
  return await database.dataSource.query(
    `WITH held AS (
       SELECT CONCAT('a', id) AS what, id AS appointment_id, resource_id, blocked_from, blocked_until
         FROM appointments WHERE account_id = ? AND status IN ('confirmed', 'completed')
       UNION ALL
       SELECT CONCAT('m', id), appointment_id, resource_id, blocked_from, blocked_until
         FROM appointment_reschedules WHERE account_id = ? AND state = 'requested')
     SELECT one.what, other.what AS other FROM held one JOIN held other
         ON other.resource_id = one.resource_id AND other.what > one.what
        AND other.blocked_from < one.blocked_until AND other.blocked_until > one.blocked_from
      WHERE other.appointment_id <> one.appointment_id`,
    [accountId, accountId],
  );
}

/** One step of somebody, on one of ten appointments and one of ten half hours of two resources. */
async function takeStep(
  agenda: TestAgenda,
  ids: number[],
  resources: number[],
  number: (limit: number) => number,
): Promise<string> {
  const appointmentId = ids[number(ids.length)] ?? 0;
  const resourceId = resources[number(resources.length)] ?? 0;
  const startTime = new Date(at("10:00").getTime() + number(10) * 30 * 60_000);
  const step = { appointmentId, source: "panel" };
  const mode = number(2) === 0 ? ("same" as const) : ("replace" as const);
  switch (number(6)) {
    case 0:
      return await outcomeOf(
        agenda.run((tx) => bookAppointment(tx, agenda.booking({ resourceId, startTime }))),
      );
    case 1:
      return await outcomeOf(agenda.run((tx) => cancelAppointment(tx, step)));
    case 2:
      return await outcomeOf(agenda.run((tx) => reactivateAppointment(tx, step)));
    case 3:
      return await outcomeOf(
        agenda.run((tx) =>
          afterwards(mode === "same" ? completeAppointment : markNoShow)(tx, step),
        ),
      );
    default:
      return await outcomeOf(
        (async () => {
          const move = { ...step, resourceId, startTime, mode };
          const row = await agenda.run((tx) => requestReschedule(tx, move));
          if (row === null) return;
          await agenda.run((tx) =>
            number(4) === 0
              ? releaseReschedule(tx, row.id, "given_up")
              : commitReschedule(tx, row.id),
          );
        })(),
      );
  }
}

test.each([1, 2, 3])(
  "whatever people do at once, no time is held twice and nobody is left in a deadlock (seed %i)",
  async (seed) => {
    const agenda = await createTestAgenda(database.dataSource);
    const { accountId } = agenda.account;
    const resources = [agenda.resourceId, await createTestResource(database.dataSource, accountId)];
    const ids: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const startTime = new Date(at("10:00").getTime() + index * 30 * 60_000);
      ids.push((await agenda.book({ startTime, resourceId: resources[index % 2] ?? 0 })).id);
    }
    const number = numbersOf(seed);
    const outcomes = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      const steps = Array.from({ length: 20 }, () => takeStep(agenda, ids, resources, number));
      for (const outcome of await Promise.all(steps)) outcomes.add(outcome);
      expect(await listOverlaps(accountId)).toEqual([]);
    }
    const expected = [
      "appointment_not_confirmed",
      "appointment_replaced",
      "ok",
      "reschedule_in_progress",
      "slot_taken",
    ];
    expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([]);
    expect(outcomes).toContain("ok");
    expect(outcomes).toContain("slot_taken");
  },
);

test("a contact that is created while a stranger's form is booked stays as it was created", async () => {
  const agenda = await createTestAgenda(database.dataSource);
  const phone = freshPhone();
  const create = async () =>
    await agenda.run((tx) => upsertContact(tx, { phone, name: "Ana", email: "ana@example.com" }));
  const contact = { phone, name: "Stranger", email: "stranger@example.com" };
  let tries = 0;
  const row = await agenda.run(async (tx) => {
    tries += 1;
    // The contact is created right after it was looked for.
    const look = vi.spyOn(tx.manager, "findOne");
    if (tries === 1) look.mockImplementationOnce(async () => (await create(), null));
    const booked = bookAppointment(tx, agenda.booking({ customer: { contact } }));
    expect(look.mock.calls[0]?.[0]).toBe(Contact);
    return await booked;
  });
  const known = await agenda.run((tx) => getContactRow(tx, row.contactId));
  expect(known).toMatchObject({ name: "Ana", email: "ana@example.com", version: 1 });
  expect([row.customerName, tries]).toEqual(["Stranger", 2]);
});

test("neighbours who book at once keep the distance of their buffers", async () => {
  const agenda = await createTestAgenda(database.dataSource);
  const serviceId = await createTestService(database.dataSource, agenda.account.accountId, {
    bufferAfterMinutes: 10,
  });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      outcomeOf(
        agenda.book({
          serviceId,
          durationMinutes: undefined,
          startTime: new Date(at("00:00").getTime() + index * 20 * 60_000),
        }),
      ),
    ),
  );
  // Forty minutes each, offered every twenty: the winners keep their distance, whoever they are.
  expect(await listOverlaps(agenda.account.accountId)).toEqual([]);
  expect(outcomes.filter((outcome) => outcome === "ok").length).toBeGreaterThanOrEqual(7);
});
