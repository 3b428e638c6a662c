import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../support/api.ts";
import { startBrowser, type TestBrowser } from "../support/browser.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let api: TestApi;
let browser: TestBrowser;

beforeAll(async () => {
  [api, browser] = await Promise.all([startTestApi(database), startBrowser()]);
});

afterAll(async () => {
  await browser.stop();
  await api.stop();
});

test("the API reference lists every call and webhook, and asks no other host for anything", async () => {
  const { page, faults } = await browser.openPage();
  await page.goto(`${api.url}/docs`);
  const { paths, webhooks } = (await api.call("GET", "/api/v1/openapi.json")).json;
  const operations = [...Object.values<object>(paths), ...Object.values<object>(webhooks)].flatMap(
    (path) => Object.keys(path),
  );
  await page.locator(".opblock").first().waitFor();
  expect(await page.locator(".opblock").count()).toBe(operations.length);

  await page.getByText("/api/v1/contacts", { exact: true }).first().click();
  expect(await page.locator(".opblock.is-open").count()).toBe(1);
  expect(faults).toEqual([]);
});
