import { createHmac } from "node:crypto";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import {
  identityLanguages,
  identitySnippetOf,
  type IdentityLanguage,
} from "../../dashboard/src/features/web-chat/identity-snippets.ts";
import { ensureWidget } from "../../dev/build/widget-build.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers, installClock, keepApart } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { findPanel, openPanel, write } from "../widget/widget-pages-fixture.ts";

const run = promisify(execFile);
const fixture = useFixture(async () => {
  await ensureWidget(() => undefined);
  return await startDashboard((url) => ({ PUBLIC_URL: url }));
});
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

async function open(path: string): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie })).page;
}

test("an admin adds a web chat from the channels, and its page has the line for the site", async () => {
  const page = await open("/channels");
  await page.getByRole("link", { name: "Web chat" }).click();
  await page.getByRole("button", { name: "Add your first web chat" }).click();
  const dialog = page.getByRole("dialog", { name: "Add web chat" });
  await dialog.getByLabel("Name").fill("Shop");
  await dialog.getByLabel("Sites").fill("not a site");
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.getByText("https://not a site is no address of a site.").waitFor();
  // A whole address is cut to the site.
  await dialog.getByLabel("Sites").fill("www.shop.example/cart?x=1\nhttps://*.shop.example");
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
  const [widget] = await call("GET", "/widgets");
  expect(widget).toMatchObject({
    name: "Shop",
    allowed_origins: ["https://www.shop.example", "https://*.shop.example"],
  });
  const line = `<script async src="${fixture.api.url}/widget/${widget.key}.js"></script>`;
  await page.getByRole("group", { name: "Line for your site" }).getByText(line).waitFor();
  await page.getByText("No site has loaded it yet.").waitFor();
  expect(await findBarriers(page)).toEqual([]);

  const seen = "UPDATE widgets SET seen_at = UTC_TIMESTAMP(3), seen_on = ? WHERE id = ?";
  await fixture.database.dataSource.query(seen, ["https://www.shop.example", widget.id]);
  await page.reload();
  await page.getByText(/^Seen on https:\/\/www\.shop\.example /).waitFor();

  await page.getByRole("link", { name: "Web chat" }).click();
  await page.getByRole("link", { name: "Shop" }).waitFor();
  await page.goto(`${fixture.api.url}/channels/${widget.channel_account_id}`);
  await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
});

test("changes of several tabs are saved at once, and the preview shows them before", async () => {
  const { id } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}?tab=look`);
  // The frame says when it is ready, and writes down the settings that it gets.
  await page.route("**/widget/frame/*", async (route) => {
    const body = `<script>
      onmessage = ({ data }) => (document.body.textContent = JSON.stringify(data));
      parent.postMessage("parley:hello", "*");
    </script><body></body>`;
    await route.fulfill({ contentType: "text/html", body });
  });
  await page.reload();
  const shown = async () => {
    const frame = page.frameLocator("iframe[title=Preview]").locator("body");
    return JSON.parse((await frame.textContent()) ?? "").config;
  };
  await page.getByLabel("Colour", { exact: true }).fill("#AA0000");
  await page.getByText("Dark", { exact: true }).click();
  await page.getByRole("radiogroup", { name: "Texts in" }).getByText("Español").click();
  await page.getByLabel("Title", { exact: true }).fill("Hola");
  await eventually(async () => {
    expect(await shown()).toMatchObject({
      settings: {
        default_locale: "es",
        look: { accent: "#aa0000", theme: "dark" },
        texts: { es: { title: "Hola" } },
      },
    });
  });
  await page.getByRole("tab", { name: "Behaviour" }).click();
  await page.getByRole("switch", { name: /^People answer at certain hours/ }).check();
  await page.getByRole("switch", { name: /^Ask who writes/ }).check();
  await page.getByRole("combobox", { name: "Consent" }).click();
  await page.getByRole("option", { name: "Ask before the chat" }).click();
  await page.getByLabel("Privacy policy").fill("http://shop.example");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Use an address that begins with https://.").waitFor();
  await page.getByLabel("Privacy policy").fill("https://shop.example/privacy");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await call("GET", `/widgets/${id}`)).toMatchObject({
    settings: {
      default_locale: "en",
      look: { accent: "#aa0000", theme: "dark" },
      texts: { es: { title: "Hola" } },
      hours: { monday: [{ from: "09:00", to: "17:00" }], sunday: [] },
      pre_chat: { is_on: true },
      consent: "required",
      privacy_url: "https://shop.example/privacy",
    },
  });
});

test("settings that a colleague saves meanwhile stay where an admin saves others", async () => {
  const { id, settings } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}?tab=look`);
  const title = page.getByLabel("Title", { exact: true });
  await page.getByLabel("Colour", { exact: true }).fill("#aa0000");
  const texts = { ...settings.texts, en: { ...settings.texts.en, title: "Sunny shop" } };
  const look = { ...settings.look, corner: "left" };
  const theirs = { ...settings, look, texts, consent: "notice" };
  await call("PATCH", `/widgets/${id}`, { settings: theirs });
  // The colleague's texts arrive in the page, and the colour that was typed there stays.
  await expect.poll(async () => await title.inputValue()).toBe("Sunny shop");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const after = (await call("GET", `/widgets/${id}`)).settings;
  expect(after).toEqual({ ...theirs, look: { ...look, accent: "#aa0000" } });
  await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
});

test("a text that is typed during a save is saved by the next one", async () => {
  const { id } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}?tab=look`);
  const held: Route[] = [];
  await page.route(`**/widgets/${id}`, (route) => void held.push(route), { times: 1 });
  const save = page.getByRole("button", { name: "Save" });
  await page.getByLabel("Colour", { exact: true }).fill("#AA0000");
  await save.click();
  await expect.poll(() => held.length).toBe(1);
  await page.getByLabel("Title", { exact: true }).fill("Sunny shop");
  await held[0]?.continue();
  await page.getByText("Saved", { exact: true }).waitFor();
  await save.click();
  const settings = async () => (await call("GET", `/widgets/${id}`)).settings;
  await expect.poll(settings).toMatchObject({
    look: { accent: "#aa0000" },
    texts: { en: { title: "Sunny shop" } },
  });
  await expect.poll(async () => await save.isDisabled()).toBe(true);
});

test("the preview is the real widget: it shows each change, and begins no session", async () => {
  const { id } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}?tab=look`);
  const frame = page.frameLocator("iframe[title=Preview]");
  await frame.getByText("Do you deliver on Saturdays?").waitFor();
  await page.getByLabel("Title", { exact: true }).fill("Sunny shop");
  await frame.getByRole("heading", { name: "Sunny shop" }).waitFor();
  await frame.getByRole("textbox").fill("Hello");
  await frame.getByRole("textbox").press("Enter");
  await frame.getByLabel("Attach a file").waitFor();
  await page.getByRole("radiogroup", { name: "Texts in" }).getByText("Español").click();
  await frame.getByRole("textbox", { name: "Escribe un mensaje…" }).waitFor();
  await frame.getByText("¿Entregan los sábados?").waitFor();
  await page.getByText("Dark", { exact: true }).click();
  await expect
    .poll(async () => await frame.locator(":root").getAttribute("data-theme"))
    .toBe("dark");
  await page.getByRole("tab", { name: "Behaviour" }).click();
  await page.getByRole("switch", { name: /^Ask who writes/ }).check();
  await frame.getByRole("button", { name: "Iniciar chat" }).click();
  await frame.getByRole("textbox", { name: "Escribe un mensaje…" }).waitFor();
  await page.getByRole("combobox", { name: "Consent" }).click();
  await page.getByRole("option", { name: "Ask before the chat" }).click();
  await frame.getByRole("button", { name: "Aceptar y empezar" }).waitFor();
  expect(await fixture.database.dataSource.query("SELECT id FROM widget_sessions")).toEqual([]);
});

test("an admin who deletes a contact empties the chat that the visitor has open", async () => {
  const { key } = await call("POST", "/widgets", { name: "Shop" });
  const { page: site } = await fixture.open(`/demo?key=${key}`, { as: null });
  const panel = await openPanel(site);
  await site.evaluate(`Parley("setContact", { name: "Ana Ruiz" })`);
  await write(panel, "My secret");
  const [{ id }] = await call("GET", "/contacts?limit=1");
  const page = await open(`/contacts/${id}`);
  await page.getByRole("button", { name: "Actions for Ana Ruiz" }).click();
  await page.getByRole("menuitem", { name: "Delete permanently" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Ana Ruiz permanently?" });
  await dialog.getByRole("textbox", { name: "Type “Ana Ruiz” to go on" }).fill("Ana Ruiz");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await panel.getByText("My secret").first().waitFor({ state: "detached" });
  await write(panel, "A new beginning");
  await site.reload();
  await openPanel(site);
  const texts = (await findPanel(site)).locator(".bubble p");
  await expect.poll(async () => await texts.allInnerTexts()).toEqual(["A new beginning"]);
});

test("a new secret is shown once; identities can be required, and a wrong key is refused", async () => {
  const { id } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}?tab=identity`);
  await page.getByRole("button", { name: "Create a new secret" }).click();
  await page
    .getByRole("dialog", { name: "Create a new secret?" })
    .getByRole("button", { name: "Create a new secret" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Save the secret" });
  await dialog.getByText(/^wsec_[0-9A-Za-z]{43}$/).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(/^wsec_/).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Signed identity" }).click();
  await page.getByRole("option", { name: "Required" }).click();
  await page.getByLabel("Key in PEM").fill("no key");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("public key of ES256").first().waitFor();
  await page.getByLabel("Key in PEM").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await call("GET", `/widgets/${id}`)).toMatchObject({ identity_mode: "required" });
});

test("a deleted chat is gone from the lists", async () => {
  const { id, channel_account_id } = await call("POST", "/widgets", { name: "Shop" });
  const page = await open(`/channels/web/${id}`);
  await page.getByRole("button", { name: "Actions for Shop" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Shop?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No site has a chat yet").waitFor();
  await page.goto(`${fixture.api.url}/channels/${channel_account_id}`);
  await page.getByText("This channel is gone").waitFor();
  await page.goto(`${fixture.api.url}/channels/web/${id}`);
  await page.getByText("This chat is gone").waitFor();
  expect(await call("GET", "/widgets")).toEqual([]);
});

test("a person who has the conversation open sees that the visitor types", async () => {
  const { conversation_id: conversationId } = await call("POST", "/sandbox/messages", {
    channel: "web",
    from: "visitor-1",
    text: "Hello",
  });
  const page = await open(`/inbox/${conversationId}?view=all`);
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  const { presence } = fixture.api.deps.liveStreams;
  const { accountId } = account;
  await eventually(async () => {
    presence.visitorTypes({ accountId, conversationId }, true);
    expect(await page.getByText("The visitor is typing…").count()).toBe(1);
  });
  presence.visitorTypes({ accountId, conversationId }, false);
  await page.getByText("The visitor is typing…").waitFor({ state: "detached" });
});

/** Two conversations of web chat, the first one open, and its visitor types. */
async function openTyping({ hasClock = false } = {}) {
  const [ana, benito] = await Promise.all(
    ["Ana", "Benito"].map(async (name) => {
      const body = { channel: "web", from: name, name, text: `${name} wrote` };
      return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
    }),
  );
  const page = await open(`/inbox/${ana}?view=all`);
  if (hasClock) {
    await installClock(page);
    await page.reload();
  }
  const { presence } = fixture.api.deps.liveStreams;
  const place = { accountId: account.accountId, conversationId: Number(ana) };
  const types = (isTyping: boolean): void => presence.visitorTypes(place, isTyping);
  const line = page.getByText("The visitor is typing…");
  const reply = page.getByRole("textbox", { name: "Reply" });
  await reply.waitFor();
  const begin = async (): Promise<void> => {
    await eventually(async () => {
      types(true);
      expect(await line.count()).toBe(1);
    });
  };
  await begin();
  /** Does a step with which the person leaves the conversation. */
  const leave = async (step: () => Promise<unknown>): Promise<void> => {
    const left = page.waitForResponse(
      (answer) =>
        answer.url().endsWith(`/conversations/${ana}/presence`) &&
        answer.request().postData()?.includes("left") === true,
    );
    await step();
    await left;
  };
  return { page, ana, benito, types, line, reply, begin, leave };
}

test("who returns to a conversation or to the tab does not see a visitor who has stopped typing", async () => {
  const { page, benito, types, line, reply, begin, leave } = await openTyping();
  await leave(async () => await page.getByRole("link", { name: /^Benito/ }).click());
  await page.waitForURL(`**/inbox/${benito}?view=all`);
  types(false);
  await page.getByRole("link", { name: /^Ana/ }).click();
  await page.getByRole("log").getByText("Ana wrote").waitFor();
  await reply.waitFor();
  expect(await line.count()).toBe(0);
  await begin();
  keepApart(page);
  const look = async (state: string) =>
    await page.evaluate(`
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
  await leave(async () => await look("hidden"));
  types(false);
  await look("visible");
  await expect.poll(async () => await line.count()).toBe(0);
  await begin();
});

const stream = "**/dashboard/api/stream*";

/** Cuts the stream of changes. It stays cut while its route does. */
async function cutStream(page: Page): Promise<void> {
  await page.route(stream, async (route) => await route.abort());
  await eventually(async () => {
    // A stream that is silent for 40 s counts as cut. What arrives while the time jumps starts it anew.
    await page.clock.fastForward(41_000);
    expect(await page.getByText("Reconnecting…").count()).toBe(1);
  });
}

test("a visitor's typing ends on the page where the stream of changes is cut", async () => {
  const { page, types, line } = await openTyping({ hasClock: true });
  await cutStream(page);
  types(false);
  await expect.poll(async () => await line.count()).toBe(0);
});

test("a visitor who goes on typing shows again once the cut stream of changes is back", async () => {
  const { page, types, line } = await openTyping({ hasClock: true });
  await cutStream(page);
  await line.waitFor({ state: "detached" });
  types(true);
  await page.unroute(stream);
  await page.clock.fastForward(6_000);
  await eventually(async () => {
    // The visitor's page says so every few seconds, and their typing never paused.
    types(true);
    expect(await line.count()).toBe(1);
  });
  types(false);
  await line.waitFor({ state: "detached" });
});

const programs = {
  node: [process.execPath, "identity.mjs"],
  python: ["python3", "identity.py"],
  php: ["php", "identity.php"],
  ruby: ["ruby", "identity.rb"],
} as const satisfies Record<IdentityLanguage, readonly [string, string]>;

function isThere(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return existsSync(program) || folders.some((one) => existsSync(join(one, program)));
}

test.each(identityLanguages)(
  "the %s program prints an identity that the secret signs (where there is such a program)",
  async (language) => {
    const [program, file] = programs[language];
    if (!isThere(program)) return;
    const folder = mkdtempSync(join(tmpdir(), "parley-identity-"));
    const key = "k".repeat(26);
    writeFileSync(join(folder, file), identitySnippetOf(language, key));
    const secret = "wsec_secret-of-a-test";
    const env = { ...process.env, PARLEY_WIDGET_SECRET: secret };
    const { stdout } = await run(program, [join(folder, file)], { env });
    rmSync(folder, { recursive: true });
    const [header = "", claims = "", signature] = stdout.trim().split(".");
    const digest = createHmac("sha256", secret).update(`${header}.${claims}`).digest("base64url");
    expect(signature).toBe(digest);
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(header)).toEqual({ alg: "HS256", typ: "JWT" });
    const { exp, ...rest } = read(claims);
    expect(rest).toEqual({ sub: "4711", name: "Ana Ruiz", email: "ana@example.com", aud: key });
    expect(Math.abs(exp - Date.now() / 1_000 - 3_600)).toBeLessThan(60);
  },
);
