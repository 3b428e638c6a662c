import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { createTestResource } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

test("a pale accent is kept as chosen, and the form says which colour pages use", async () => {
  const page = await open("/settings/account");
  const accent = page.getByLabel("Accent");
  await accent.fill("teal");
  await accent.blur();
  await page.getByText("Use a colour such as #0d6e68.", { exact: true }).waitFor();
  await accent.fill("#0d6e68");
  await page.getByText("Words on this colour can be read.").waitFor();
  await accent.fill("#FFEE00");
  await page.getByText(/^Pages use #[0-9a-f]{6}, so that/).waitFor();
  await page.getByLabel("Name of the company").fill("Sonrisa Dental");
  await page.getByLabel("Address").fill("Av. Reforma 222");
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect((await call("GET", "/account")).settings).toMatchObject({
    booking_name: "Sonrisa Dental",
    booking_accent: "#ffee00",
    booking_address: "Av. Reforma 222",
  });
});

test("a booking link gets an address of its own; a taken or reserved one is refused beside its field", async () => {
  const { dataSource } = own.fixture.database;
  const resource_id = await createTestResource(dataSource, own.account.accountId);
  const mine = own.account;
  own.account = await createTestAccount(dataSource);
  const other = await createTestResource(dataSource, own.account.accountId);
  await call("POST", "/booking-links", { title: "B", resource_id: other, own_slug: "taken-here" });
  own.account = mine;
  await call("POST", "/booking-links", { title: "Cleaning", resource_id });
  const page = await open("/appointments/links");
  await page.getByRole("button", { name: "Actions for Cleaning" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  const slug = dialog.getByLabel("Own address");
  const refusals = [
    ["taken-here", "Another booking link has this address. Choose another one."],
    ["admin", "This word is reserved. Choose another one."],
    ["sonrisa dental", "Use letters a to z, digits, and single hyphens between them."],
    ["ab", "Use 3 to 40 characters."],
  ] as const;
  for (const [text, refusal] of refusals) {
    await slug.fill(text);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(refusal).waitFor();
  }
  expect(await findBarriers(page)).toEqual([]);
  await slug.fill("sonrisa-dental-mx");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(/\/book\/sonrisa-dental-mx$/).waitFor();
  expect((await call("GET", "/booking-links"))[0].own_slug).toBe("sonrisa-dental-mx");
});
