import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { at, createTestResource, createTestService, openFrom } from "../support/appointments.ts";
import type { DashboardScene } from "../support/dashboard.ts";
import { oddNames } from "../support/odd-names.ts";

/** How much an account holds that pages are looked at in. */
export const fillings = ["as in use", "empty", "one row", "50 rows"] as const;
export type Filling = (typeof fillings)[number];

/** Makes an account for each filling; what is in use is the scene's own, so that its ids begin at 1. */
export async function createPageAccounts(
  scene: DashboardScene,
): Promise<Record<Filling, TestAccount>> {
  await fillAsInUse(scene);
  const make = async (rows: number): Promise<TestAccount> => {
    const account = await createTestAccount(scene.database.dataSource);
    await fill(scene, account, rows);
    return account;
  };
  return {
    "as in use": scene.account,
    empty: await make(0),
    "one row": await make(1),
    "50 rows": await make(50),
  };
}

async function fillAsInUse(scene: DashboardScene): Promise<void> {
  await scene.call("POST", "/invitations", { email: "luis@example.com", role: "agent" });
  const url = "https://hooks.example.com/parley";
  await createTestSubscription(scene.database.dataSource, scene.account.accountId, { url });
  await scene.call("POST", "/inbound-endpoints", { name: "CRM ".repeat(50).trim() });
  const { accountId } = scene.account;
  const resource = await createTestResource(scene.database.dataSource, accountId, {
    weeklyHours: { ...openFrom("09:00", "17:00"), sunday: [] },
  });
  await createTestService(scene.database.dataSource, accountId);
  const from = "5215512345678";
  const board = { name: "Sales", stages: ["New", "Won"], default: true };
  await scene.call("POST", "/pipelines", board);
  const name = `${"Wolfeschlegelsteinhausenbergerdorff ".repeat(5)}😀`;
  for (const text of ["Hello", "مرحبا، هل لديكم طاولة؟", "x".repeat(300)]) {
    await scene.call("POST", "/sandbox/messages", { channel: "whatsapp", from, name, text });
  }
  await fillAgenda(scene, resource);
  await scene.call("POST", "/conversations/1/notes", { text: "Prefers the terrace" });
  await scene.call("POST", "/conversations/1/messages", { content: "Good evening!" });
  await scene.call("POST", "/sandbox/messages", { channel: "web", from: "visitor-7", text: "Hi" });
}

async function fillAgenda(scene: DashboardScene, resource: number): Promise<void> {
  await scene.call("POST", `/resources/${resource}/closures`, {
    start_time: at("12:00"),
    end_time: at("13:00"),
    reason: "Lunch",
  });
  await scene.call("POST", "/booking-links", { title: "Book a visit", resource_id: resource });
  const booking = { resource_id: resource, contact_id: 1, duration_minutes: 45 };
  for (const time of ["09:00", "10:30"]) {
    await scene.call("POST", "/appointments", { ...booking, start_time: at(time) });
  }
  await scene.call("POST", "/appointments/2/cancel", { reason: "Ill" });
}

/** Rows of everything that lists show, under names that are hard to show. */
async function fill(scene: DashboardScene, account: TestAccount, rows: number): Promise<void> {
  const call = async (path: string, body: object): Promise<void> => {
    const options = { cookie: account.cookie, body };
    const { status, text } = await scene.api.call("POST", `/dashboard/api${path}`, options);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  };
  const board = { name: "Sales", stages: ["New", "Won"], default: true };
  if (rows > 0) await call("/pipelines", board);
  for (let row = 0; row < rows; row += 1) {
    const name = oddNames[row % oddNames.length];
    const named = name === undefined ? {} : { name };
    const from = String(5_215_500_000_000 + row);
    const text = name ?? "x".repeat(300);
    await call("/sandbox/messages", { channel: "whatsapp", from, text, ...named });
    await call("/invitations", { email: `person-${row}@example.com`, role: "agent", ...named });
    if (row < 20) await call("/inbound-endpoints", { name: name ?? `System ${row}` });
    await call("/api-keys", { name: name ?? `Key ${row}`, scopes: ["contacts:read"] });
    // An account has at most 20.
    if (row < 20) await addSubscription(scene, account, row);
    if (row > 0 && row < 20)
      await call("/pipelines", { name: `${row} ${name ?? ""}`.slice(0, 200), stages: ["New"] });
  }
}

async function addSubscription(
  scene: DashboardScene,
  account: TestAccount,
  row: number,
): Promise<void> {
  const url = `https://hooks-${row}.${"sub.".repeat(20)}example.com/${"path/".repeat(40)}`;
  await createTestSubscription(scene.database.dataSource, account.accountId, { url });
}
