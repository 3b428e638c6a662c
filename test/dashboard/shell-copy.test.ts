import { expect, test } from "vitest";
import { openClipboard } from "../support/browser.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

/** What a button says it copied is what another program gets. */
const own = setUpOwnAgenda();
const { open } = own;

test("each booking link's URL is copied by its name; a title from right to left begins where others do", async () => {
  const { cookie } = own.agenda.account;
  const path = "/dashboard/api/booking-links";
  const titles = ["Visit", "زيارة"];
  const urls: string[] = [];
  for (const title of titles) {
    const body = { title, resource_id: own.agenda.resourceId };
    urls.push((await own.fixture.api.call("POST", path, { cookie, body })).json.data.url);
  }
  const page = await open("/appointments/links");
  const copied = await openClipboard(page);
  const begins: number[] = [];
  for (const [index, title] of titles.entries()) {
    await page.getByRole("button", { name: `Copy: Address of ${title}` }).click();
    await expect.poll(copied).toBe(urls[index]);
    const shown = page.getByText(title, { exact: true });
    begins.push(
      await shown.evaluate((one) => {
        const range = one.ownerDocument.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect().left;
      }),
    );
  }
  expect(begins[1]).toBe(begins[0]);
});

test("a key that is shown once is copied whole, and works", async () => {
  const page = await open("/api-keys");
  const copied = await openClipboard(page);
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CRM");
  await dialog.getByLabel("List, search and read contacts").check();
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await dialog.getByRole("button", { name: "Copy: Key" }).click();
  const apiKey = await page.getByLabel("Key", { exact: true }).innerText();
  await expect.poll(copied).toBe(apiKey);
  expect((await own.fixture.api.call("GET", "/api/v1/contacts", { apiKey })).status).toBe(200);
});
