import { beforeEach, expect, test } from "vitest";
import { createSecretBox, generateSecretKey } from "../../../../core/secrets.ts";
import { queueBookingMail } from "../../../../core/services/accounts/mails.ts";
import { cancelAppointment } from "../../../../core/services/appointments/appointment-status.ts";
import { beginMail } from "../../../../core/services/mails/mail-sending.ts";
import { resealSecrets } from "../../../../core/services/operations/sealed-secrets.ts";
import {
  createTestAgenda,
  createTestService,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const oldKey = generateSecretKey("old");
const newKey = generateSecretKey("new");
const oldBox = createSecretBox(oldKey);
const newBox = createSecretBox(newKey);
const typed = { to: "ana@example.com", locale: "es", path: "/book/x/a/token" } as const;
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

/** Books, and queues the mail of the booking. */
async function queue(): Promise<{ appointmentId: number; mailId: number }> {
  const serviceId = await createTestService(database.dataSource, agenda.account.accountId);
  const { id } = await agenda.book({ serviceId, durationMinutes: undefined });
  await agenda.run((tx) => queueBookingMail(tx, oldBox, id, typed));
  const [mail] = await database.dataSource.query<{ id: number; sealed: string }[]>(
    "SELECT id, sealed FROM mails WHERE account_id = ?",
    [agenda.account.accountId],
  );
  expect(mail?.sealed).not.toContain("ana");
  return { appointmentId: id, mailId: Number(mail?.id) };
}

const begin = async (mailId: number, box = oldBox) =>
  await agenda.run((tx) => beginMail(tx, box, { accountId: agenda.account.accountId, mailId }));

test("a mail of a booking has its time, place and page, and nothing that was typed but the address", async () => {
  const { mailId } = await queue();
  expect(await begin(mailId)).toMatchObject({
    material: {
      kind: "booking_made",
      to: "ana@example.com",
      locale: "es",
      customerName: null,
      facts: ["Consultation", "martes, 5 de marzo de 2030, 16:00 UTC", "Dr. Lucía Peña"],
      path: "/book/x/a/token",
      appointment: {
        sequence: 1,
        isCancelled: false,
        start: new Date("2030-03-05T16:00:00.000Z"),
        summary: expect.stringMatching(/^Consultation, /),
      },
    },
  });
});

test("a new key reseals the mail, which is sent with it", async () => {
  const { mailId } = await queue();
  const bothBox = createSecretBox(`${newKey},${oldKey}`);
  while ((await agenda.run((tx) => resealSecrets(tx, bothBox, 10))) > 0);
  expect(await begin(mailId, newBox)).toMatchObject({ material: { to: "ana@example.com" } });
});

test("a booking that is cancelled before its mail leaves gets none", async () => {
  const { mailId, appointmentId } = await queue();
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId, source: "enlace" }));
  expect(await begin(mailId)).toEqual({ outcome: { state: "over" } });
  const rows = await database.dataSource.query("SELECT state, sealed FROM mails WHERE id = ?", [
    mailId,
  ]);
  expect(rows).toEqual([{ state: "cancelled", sealed: null }]);
});
