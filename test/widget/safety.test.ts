import type { Frame } from "playwright-core";
import { expect, test } from "vitest";
import { widgetSettings } from "../../core/model/widget.ts";
import { createTestLink } from "../api/booking/booking-fixture.ts";
import { createTestWidget } from "../api/widget/widget-fixture.ts";
import { watchScripts, witness } from "../dashboard/script-witness.ts";
import { expectFocus, keepApart } from "../support/browser.ts";
import { tinyPng } from "../support/media.ts";
import { useFixture } from "../support/use-fixture.ts";
import { xssPayloads } from "../support/xss-payloads.ts";
import {
  command,
  findPanel,
  findPanelBarriers,
  openPanel,
  openShadow,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

/** Name of the control that has the focus in the panel. */
async function focusedName(panel: Frame): Promise<string> {
  return await panel.evaluate<string>(
    `document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText.trim()`,
  );
}

async function walk(panel: Frame, key: string, steps: number): Promise<string[]> {
  const names: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    await panel.page().keyboard.press(key);
    names.push(await focusedName(panel));
  }
  return names;
}

test("the keyboard reaches launcher and panel, each control in the order that one sees", async () => {
  const { page, widget } = await fixture.visit({
    host: { head: openShadow, body: '<a href="#shop">Shop</a>' },
    settings: { lets_visitor_erase: true },
  });
  const { keyboard } = page;
  await page.getByRole("link", { name: "Shop" }).focus();
  await keyboard.press("Tab");
  await expectFocus(page.getByRole("button", { name: "Open chat" }));
  await keyboard.press("Enter");
  const panel = await findPanel(page);
  const field = panel.getByRole("textbox", { name: "Write a message…" });
  await expectFocus(field);
  await keyboard.type("See https://example.com/a");
  await keyboard.press("Enter");
  await panel.getByRole("listitem").getByText("Sent").waitFor();
  await keyboard.type("x");
  const forward = [
    "Options",
    "Close chat",
    "Conversation",
    "https://example.com/a",
    "Write a message…",
    "Attach a file",
    "Insert emoji",
    "Send",
  ];
  expect(await walk(panel, "Shift+Tab", 4)).toEqual(forward.slice(0, 4).toReversed());
  expect(await walk(panel, "Tab", 7)).toEqual(forward.slice(1));

  await panel.getByRole("button", { name: "Options" }).focus();
  await keyboard.press("Enter");
  const items = ["Turn sound on", "Download conversation", "Delete my chat"];
  await expectFocus(panel.getByRole("menuitem", { name: items[0] ?? "" }));
  // The last two need the conversation, which the stream brings.
  await panel.getByRole("menuitem", { name: items[2] ?? "" }).waitFor();
  expect(await walk(panel, "ArrowDown", 3)).toEqual([items[1], items[2], items[0]]);
  expect(await walk(panel, "ArrowUp", 1)).toEqual([items[2]]);
  await keyboard.press("Enter");
  await expectFocus(panel.getByRole("button", { name: "Cancel" }));
  await keyboard.press("Escape");
  await expectFocus(panel.getByRole("button", { name: "Options" }));

  // A screen reader hears each message of the company once, also where it changes later.
  const id = await fixture.reply(widget, { content: "Hello" });
  const log = panel.getByRole("log").locator("p");
  await expect
    .poll(async () => await log.allInnerTexts())
    .toEqual([expect.stringMatching(/: Hello$/)]);
  await fixture.query("UPDATE messages SET edited_at = UTC_TIMESTAMP(3) WHERE id = ?", [id]);
  await fixture.reply(widget, { content: "Again" });
  await expect.poll(async () => await log.count()).toBe(2);

  await keyboard.press("Escape");
  await expectFocus(page.getByRole("button", { name: "Open chat" }));
  await page.frameLocator("iframe").getByRole("dialog").waitFor({ state: "hidden" });
});

test("a panel that fills a phone keeps the focus inside, and every page of it has names", async () => {
  const { page } = await fixture.visit({
    host: { head: openShadow },
    options: { width: 390, height: 844 },
    settings: {
      consent: "required",
      pre_chat: { is_on: true, name: "required", email: "optional", phone: "optional" },
    },
  });
  await command(page, "open");
  const panel = await findPanel(page);
  const dialog = panel.getByRole("dialog");
  await expectFocus(dialog);
  expect(await page.locator("iframe").getAttribute("title")).toMatch(/^Chat with /);
  expect(await findPanelBarriers(panel)).toEqual([]);
  await panel.getByRole("button", { name: "Agree and start" }).click();
  await panel.getByLabel("Name").waitFor();
  expect(await findPanelBarriers(panel)).toEqual([]);
  await panel.getByLabel("Name").fill("Ana");
  await panel.getByRole("button", { name: "Start chat" }).click();
  await panel.getByRole("button", { name: "Insert emoji" }).focus();
  // There is nothing to send, so the next one is the first one.
  expect(await walk(panel, "Tab", 1)).toEqual(["Options"]);
  expect(await walk(panel, "Shift+Tab", 1)).toEqual(["Insert emoji"]);
});

/** An element behind the end of an attribute, and short enough for each name. */
const payload = `"><img src=x onerror=alert(1)>`;
const markdown = [
  "[go](javascript:alert(1))",
  "[go](data:text/html,<script>alert(1)</script>)",
  `**bold ${payload}**`,
  "`<img src=x onerror=alert(1)>`",
  "- <svg onload=alert(1)>",
  'https://example.com/"onmouseover="alert(1)',
  "https://example.com/<script>alert(1)</script>",
];

test("no name, text, file, option or time becomes markup or a script", async () => {
  const link = await createTestLink(fixture, {
    serviceName: payload,
    resourceName: `${payload} r`,
  });
  const { account, slug } = link;
  await fixture.query("UPDATE accounts SET name = ? WHERE id = ?", [payload, account.accountId]);
  await fixture.query("UPDATE users SET name = ? WHERE id = ?", [payload, account.userId]);
  const words = { launcher: payload, title: payload, subtitle: payload, greeting: payload };
  const texts = { ...words, reply_time: payload, offline: payload, consent: payload };
  const settings = { booking_slug: slug, ...shownTexts({ en: texts }) };
  const widget = await createTestWidget(fixture, { account, settings });
  const { page } = await fixture.visit({ widget });
  keepApart(page);
  await watchScripts(page);
  await page.reload();
  await page.evaluate(`document.title = ${JSON.stringify(payload)}`);
  await command(page, "setContact", { name: payload });
  const panel = await openPanel(page);
  await write(panel, payload);
  const input = panel.locator("input[type=file]");
  const name = `"><img src=x onerror=alert(1)>.png`;
  await input.setInputFiles({ name, mimeType: "image/png", buffer: tinyPng });
  // A file that is still under way would come after the options, and end them.
  const file = panel.getByRole("listitem").filter({ has: panel.getByRole("img", { name }) });
  await file.getByText("Sent").waitFor();
  await addMessages(account.accountId, "inbound", xssPayloads);
  await addMessages(account.accountId, "outbound", [...xssPayloads, ...markdown]);
  const options = [{ id: "1", title: "<b>Yes</b>", description: payload }];
  const interactive = { kind: "list", body: payload, options };
  await fixture.reply(widget, { type: "interactive", interactive });
  await page.reload();
  await openPanel(page);
  const shown = await findPanel(page);
  await shown.getByRole("button", { name: "<b>Yes</b>" }).waitFor();
  const older = shown.getByRole("button", { name: "Show earlier messages" });
  await expect
    .poll(async () => {
      await older.evaluateAll((all) => (all as unknown as { click: () => void }[])[0]?.click());
      return await shown.locator(".welcome").count();
    })
    .toBe(1);
  const own = await shown.locator(".own .bubble p").allInnerTexts();
  expect(xssPayloads.filter((text) => !own.some((one) => one.includes(text)))).toEqual([]);
  expect(await shown.locator("img:not(.picture)").count()).toBe(0);
  await expectClean(shown);

  await shown.getByRole("button", { name: "Book an appointment" }).click();
  await shown.getByRole("button", { name: payload }).click();
  await shown.locator(".slots button").first().click();
  await shown
    .locator(".card")
    .filter({ hasText: `${payload} r` })
    .waitFor();
  await expectClean(shown);
  expect((await witness(page)).faults).toEqual([]);
});

function shownTexts(texts: object) {
  return { texts: widgetSettings.parse({ texts }).texts };
}

/** Copies the visitor's message under other texts. */
async function addMessages(
  accountId: number,
  direction: "inbound" | "outbound",
  texts: readonly string[],
): Promise<void> {
  const same = "account_id, conversation_id, contact_id, channel_account_id, channel, type";
  const [sender, status] = direction === "inbound" ? ["contact", "received"] : ["agent", "sent"];
  await fixture.query(
    `INSERT INTO messages (content, direction, sender_type, status, ${same})
     SELECT t.content, ?, ?, ?, ${same}
       FROM JSON_TABLE(?, '$[*]' COLUMNS (content TEXT PATH '$')) t
       JOIN messages m ON m.id = (SELECT MIN(id) FROM messages WHERE account_id = ?)`,
    [direction, sender, status, JSON.stringify(texts), accountId],
  );
}

async function expectClean(panel: Frame): Promise<void> {
  expect(await witness(panel)).toEqual({ faults: [], markup: [] });
  const hrefs = await panel
    .locator("a[href]")
    .evaluateAll((all) => (all as unknown as { href: string }[]).map(({ href }) => href));
  expect(hrefs.filter((href) => !/^(?:https?|mailto|tel):/u.test(href))).toEqual([]);
}
