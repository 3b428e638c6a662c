import type { Locator } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { at, openFrom } from "../support/appointments.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

const own = setUpOwnAgenda();
const { call, open } = own;

beforeEach(async () => {
  await call("PATCH", `/resources/${own.agenda.resourceId}`, {
    weekly_hours: openFrom("08:00", "18:00"),
  });
});

test("a contact is booked from the inbox and from its own page", async () => {
  const message = { channel: "web", from: "v", name: "Dora", text: "Hi" };
  const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", message);
  for (const [path, time] of [
    [`/inbox/${conversation_id}`, "9:00"],
    [`/contacts/${contact_id}`, "12:00"],
  ] as const) {
    const page = await open(path);
    await page.getByRole("button", { name: "Book" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Dora").waitFor();
    await drawer.getByLabel("Date", { exact: true }).fill("05/03/2030");
    await drawer.getByText(time, { exact: true }).click();
    await drawer.getByRole("button", { name: "Book", exact: true }).click();
    await page.getByText("Booked for").waitFor();
  }
  const rows = await call("GET", `/appointments?contact_id=${contact_id}`);
  expect(rows).toMatchObject([
    { start_time: at("09:00").toISOString(), conversation_id },
    // This booking is of no conversation, as far as anybody knows.
    { start_time: at("12:00").toISOString(), conversation_id: null },
  ]);
});

/** Lets ten years go by over some appointments, which no change tells of. */
async function passBy(ids: unknown[]): Promise<void> {
  const moved = ["start_time", "end_time", "blocked_from", "blocked_until"].map(
    (column) => `${column} = ${column} - INTERVAL 10 YEAR`,
  );
  await own.fixture.database.dataSource.query(
    `UPDATE appointments SET ${moved.join(", ")} WHERE id IN (?)`,
    [ids],
  );
}

/** The times that stand in a list of appointments, from the top. */
async function expectTimes(list: Locator, times: string[]): Promise<void> {
  await expect
    .poll(async () =>
      (await list.getByRole("listitem").allInnerTexts()).map((text) => /\d+:\d\d/.exec(text)?.[0]),
    )
    .toEqual(times);
}

test("beside a conversation stands when the person comes next, then what was, as it changes elsewhere", async () => {
  const message = { channel: "web", from: "w", name: "Elsa", text: "Hi" };
  const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", message);
  const page = await open(`/inbox/${conversation_id}`);
  const part = page.getByRole("region", { name: "Appointments" });
  await part.getByText("No appointment yet.").waitFor();
  const ids: number[] = [];
  const book = async (...times: string[]): Promise<void> => {
    for (const time of times) {
      const start_time = at(time);
      const input = {
        contact_id,
        resource_id: own.agenda.resourceId,
        start_time,
        duration_minutes: 30,
      };
      ids.push((await call("POST", "/appointments", input)).id);
    }
  };
  await book("11:00", "10:00");
  await passBy(ids);
  await book("17:00", "13:00", "16:00", "14:00", "15:00");
  await part.getByText("4 more appointments").waitFor();
  await expectTimes(part, ["13:00", "14:00", "15:00"]);
  await passBy([ids[3], ids[5], ids[6]]);
  await call("POST", `/appointments/${ids[2]}/cancel`, { reason: "ill" });
  await part.getByText("Cancelled", { exact: true }).waitFor();
  await expectTimes(part, ["16:00", "17:00", "15:00"]);
  // Whoever is merged into the person brings theirs along.
  const other = (await call("POST", "/contacts", { name: "Elsa B.", email: "elsa@example.com" }))
    .id;
  const theirs = { contact_id: other, resource_id: own.agenda.resourceId, duration_minutes: 30 };
  const { id } = await call("POST", "/appointments", { ...theirs, start_time: at("13:30") });
  await call("POST", `/contacts/${other}/merge`, { into_contact_id: contact_id });
  await part.getByText("5 more appointments").waitFor();
  await expectTimes(part, ["13:30", "16:00", "17:00"]);
  await part.getByRole("link").first().click();
  await page.getByRole("dialog").getByText("Elsa").first().waitFor();
  expect(page.url()).toContain(`appointment=${id}`);
});
