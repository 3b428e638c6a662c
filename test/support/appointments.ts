import type { DataSource } from "typeorm";
import { weekdays, type WeeklyHours } from "../../core/model/schedule.ts";
import {
  bookAppointment,
  type BookingInput,
} from "../../core/services/appointments/appointments.ts";
import { insertRow } from "../../core/services/sql.ts";
import { Appointment } from "../../db/entities/appointment.ts";
import { Resource, Service } from "../../db/entities/resource.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem, createTestAccount, type TestAccount } from "./accounts.ts";
import { freshPhone } from "./contact-load.ts";
import { tracesOf, type Traces } from "./conversations.ts";

/** Open every day from one time to another. */
export function openFrom(from: string, to: string): WeeklyHours {
  return Object.fromEntries(weekdays.map((day) => [day, [{ from, to }]])) as WeeklyHours;
}

/** Adds a resource, open around the clock in UTC unless said otherwise. @returns its id. */
export async function createTestResource(
  dataSource: DataSource,
  accountId: number,
  given: { name?: string; timeZone?: string; weeklyHours?: WeeklyHours } = {},
): Promise<number> {
  const plain = {
    name: "Dr. Lucía Peña",
    timeZone: "UTC",
    weeklyHours: openFrom("00:00", "24:00"),
  };
  const row = { accountId, ...plain, ...given };
  return await asSystem(dataSource, accountId, (tx) => insertRow(tx, Resource, row));
}

/** Adds a service that every resource gives, of half an hour unless said otherwise. @returns its id. */
export async function createTestService(
  dataSource: DataSource,
  accountId: number,
  given: Partial<
    Pick<Service, "durationMinutes" | "bufferBeforeMinutes" | "bufferAfterMinutes">
  > = {},
): Promise<number> {
  const row = { accountId, name: "Consultation", durationMinutes: 30, ...given };
  return await asSystem(dataSource, accountId, (tx) => insertRow(tx, Service, row));
}

/** An account with one resource. */
export interface TestAgenda {
  account: TestAccount;
  resourceId: number;
  /** Runs a service in the account. */
  run: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** The same, with what it left behind. */
  trace: <T>(work: (tx: Tx) => Promise<T>) => Promise<Traces<T>>;
  /** A booking of the first half hour for somebody new, unless said otherwise. */
  booking: (given?: Partial<BookingInput>) => BookingInput;
  book: (given?: Partial<BookingInput>) => Promise<Appointment>;
  /** The row as it is now. */
  read: (id: number) => Promise<Appointment>;
}

/** Makes an account with a resource that is always open. */
export async function createTestAgenda(dataSource: DataSource): Promise<TestAgenda> {
  const account = await createTestAccount(dataSource);
  const { accountId } = account;
  const resourceId = await createTestResource(dataSource, accountId);
  const run: TestAgenda["run"] = async (work) => await asSystem(dataSource, accountId, work);
  const booking: TestAgenda["booking"] = (given = {}) => ({
    resourceId,
    startTime: at("16:00"),
    durationMinutes: 30,
    customer: { contact: { phone: freshPhone(), name: "Ana Torres" } },
    source: "enlace",
    ...given,
  });
  return {
    account,
    resourceId,
    run,
    trace: async (work) => await tracesOf(dataSource, accountId, () => run(work)),
    booking,
    book: async (given) => await run((tx) => bookAppointment(tx, booking(given))),
    read: async (id) => await run((tx) => tx.manager.findOneByOrFail(Appointment, { id })),
  };
}

/** A time of the day in a far future that tests book, as `16:30` in UTC. */
export function at(time: string): Date {
  return new Date(`2030-03-05T${time}:00.000Z`);
}

/** A step as somebody takes it when the day of tests is over. A visit is completed or missed then. */
export function afterwards<Input, Result>(step: (tx: Tx, input: Input) => Promise<Result>) {
  return async (tx: Tx, input: Input): Promise<Result> =>
    await step({ ...tx, now: at("23:59") }, input);
}

/** Puts an appointment ten years back, as if its visit had begun. */
export async function letBegin(dataSource: DataSource, id: number): Promise<void> {
  const moments = ["start_time", "end_time", "blocked_from", "blocked_until"];
  const earlier = moments.map((name) => `${name} = ${name} - INTERVAL 10 YEAR`);
  await dataSource.query(`UPDATE appointments SET ${earlier.join()} WHERE id = ?`, [id]);
}
