import { afterAll, beforeAll, expect, test } from "vitest";
import { startDashboard, type DashboardScene } from "../support/dashboard.ts";

let scene: DashboardScene;

beforeAll(async () => {
  // Nobody sends here: the page shows how the mails stand in MySQL.
  scene = await startDashboard({ SMTP_URL: "smtp://127.0.0.1:9" });
});

afterAll(async () => await scene.stop());

const setMails = async (state: string) =>
  await scene.database.dataSource.query("UPDATE mails SET state = ?", [state]);

test("an invitation goes by mail; one that could not be sent is shown and sent again", async () => {
  const { page } = await scene.open("/settings/users");
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("luis@example.com");
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await page.getByText("A mail with the link is on its way to luis@example.com.").waitFor();
  await page.getByText("The mail is on its way", { exact: true }).waitFor();
  await setMails("failed");
  await page.getByText("The mail could not be sent").waitFor();
  await page.getByRole("button", { name: "Send the invitation of luis@example.com again" }).click();
  await page.getByText("The mail is on its way", { exact: true }).waitFor();
  const rows = await scene.database.dataSource.query("SELECT state FROM mails ORDER BY id");
  expect(rows).toEqual([{ state: "failed" }, { state: "queued" }]);
});

test("whoever forgot their password asks for a mail at the login", async () => {
  const { page } = await scene.open("/login", { as: null });
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByLabel("Email").fill(scene.account.email);
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByText("If this address has a login, a mail with a link is on its way.").waitFor();
  const rows = await scene.database.dataSource.query(
    "SELECT kind, state FROM mails ORDER BY id DESC LIMIT 1",
  );
  expect(rows).toEqual([{ kind: "password_reset", state: "queued" }]);
  await page.getByRole("button", { name: "Go to the login" }).click();
  await page.getByRole("heading", { name: "Log in to Parley" }).waitFor();
});
