import { beforeEach, expect, test } from "vitest";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import { asSystem } from "../support/accounts.ts";
import { expectFocusIn, findBarriers } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

// No worker runs here: results are written as the activity writes them.
const own = setUpOwnAccounts();
const { call, open } = own;

beforeEach(async () => {
  const { dataSource } = own.fixture.database;
  await asSystem(dataSource, own.account.accountId, (tx) => seedClinic(tx));
});

test("a case is written, run, and shows live what differed", async () => {
  const page = await open("/agent/cases");
  await page.getByRole("heading", { name: "No test case yet" }).waitFor();
  await page.getByRole("button", { name: "Add test case" }).click();
  const dialog = page.getByRole("dialog", { name: "Add test case" });
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "The customer writes" }).fill("hola\nquiero una cita");
  await dialog.getByRole("button", { name: "Save" }).click();
  const rows = page.getByRole("region", { name: "Test cases" });
  await rows.getByText("Not run").waitFor();
  await page.getByRole("button", { name: "Run all" }).click();
  await rows.getByText("Running").waitFor();
  const result = { outcome: "silent", reason: null, tools: [], cited: [], texts: [], error: null };
  await own.fixture.database.dataSource.query(
    "UPDATE agent_cases SET state = 'failed', queued_at = NULL, draft_digest = 'd', result = ? WHERE account_id = ?",
    [JSON.stringify({ ...result, differences: ["outcome"] }), own.account.accountId],
  );
  await call("PATCH", "/agent", { quiet_seconds: 7 });
  await rows.getByText("Another outcome").waitFor();
  await rows.getByText("of another draft").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const [saved] = (await call("GET", "/agent-cases")) as { lines: string[] }[];
  expect(saved?.lines).toEqual(["hola", "quiero una cita"]);
});

test("a trial becomes a case, and publishing warns until the admin confirms", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 7 });
  const page = await open("/agent/playground");
  await page.getByRole("textbox", { name: "Write as a customer" }).fill("¿Aceptan tarjeta?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save as test case" }).click();
  const dialog = page.getByRole("dialog", { name: "Add test case" });
  await expectFocusIn(dialog);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Setup" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("1 test case was not run with this draft.").waitFor();
  expect(await call("GET", "/agent")).toMatchObject({ differs: true });
  await page.getByRole("button", { name: "Publish anyway" }).click();
  await page.getByText(/Version \d+ is live/).waitFor();
  expect(await call("GET", "/agent")).toMatchObject({ differs: false });
});
