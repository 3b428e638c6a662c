import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { Page } from "playwright-core";
import { drawPicture } from "../../../dev/stand-in/meta-picture.ts";
import { findBarriers, startBrowser } from "../../support/browser.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { accountOf, startMetaFixture, textTo, type MetaFixture } from "./meta-fixture.ts";

const browser = useFixture(startBrowser);

async function open(
  width: number,
  theme: "light" | "dark",
  allowed: RegExp[] = [],
): Promise<[MetaFixture, Page]> {
  const fixture = await startMetaFixture();
  onTestFinished(async () => await fixture.stop());
  const { page, faults } = await browser.openPage({ width, height: 900, theme });
  await page.goto(fixture.standIn.url);
  onTestFinished(() =>
    expect(faults.filter((fault) => !allowed.some((one) => one.test(fault)))).toEqual([]),
  );
  return [fixture, page];
}

test.each([
  [390, "light"],
  [1440, "dark"],
] as const)("one writes as a customer and sees what was sent, at %i px", async (width, theme) => {
  const [fixture, page] = await open(width, theme);
  await page.getByText("Nothing yet. Write below as Ana Núñez.").waitFor();
  await page.getByLabel("Text, caption or emoji").fill("¿Tienen <b>citas</b> el lunes?");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await page.getByText("¿Tienen <b>citas</b> el lunes?", { exact: true }).waitFor();
  expect(fixture.arrivals).toHaveLength(1);
  await fixture.graph(`/${accountOf("whatsapp").id}/messages`, {
    method: "POST",
    body: textTo("whatsapp", "5215512345678", "Sí, a las 10:00."),
  });
  await page.getByText("Sí, a las 10:00.", { exact: true }).waitFor();
  await page.getByText(/Business .* read$/).waitFor();
  await page.getByRole("button", { name: "Instagram" }).click();
  await page.getByText("Nothing yet. Write below as Sofía.").waitFor();
  await page.getByRole("button", { name: "WhatsApp" }).click();
  expect(await findBarriers(page)).toEqual([]);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBe(0);
});

test("a script is chosen, webhooks are held, and a refusal is said", async () => {
  const [fixture, page] = await open(1440, "light", [/status of 400/]);
  await page.getByLabel("Script").selectOption("pair_limit");
  const readScript = async (): Promise<unknown> => {
    const state = await fetch(`${fixture.standIn.url}/control/state`);
    return Object(await state.json())["script"];
  };
  await expect.poll(readScript).toBe("pair_limit");
  await page.getByRole("button", { name: "Hold" }).click();
  await page.getByText("Held back: 0").waitFor();
  await page.getByLabel("Text, caption or emoji").fill("Later");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await page.getByText("Later", { exact: true }).waitFor();
  await page.getByText("Held back: 1").waitFor();
  expect(fixture.arrivals).toEqual([]);
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await expect.poll(() => fixture.arrivals.length).toBe(1);
  await page.getByLabel("Kind").selectOption("edit");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await page.getByText("Error: edit needs the id of a message.").waitFor();
  await page.getByRole("button", { name: "Shake hands" }).click();
  await page.getByText("The handshake succeeded.").waitFor();
});

test("a picture of the customer goes out with its bytes, and both sides' pictures show", async () => {
  const [fixture, page] = await open(390, "light");
  const bytes = drawPicture();
  const file = { name: "golden hour.png", mimeType: "image/png", buffer: bytes };
  await page.getByLabel("Picture or other file").setInputFiles(file);
  await page.getByLabel("Text, caption or emoji").fill("Desde la playa");
  await page.getByRole("button", { name: "Send as customer" }).click();
  const theirs = page.getByRole("img", { name: "Picture of Ana Núñez" });
  await theirs.waitFor();
  await expect
    .poll(() => theirs.evaluate((image) => Object(image)["naturalWidth"] as unknown))
    .toBe(320);
  await expect.poll(() => page.getByLabel("Picture or other file").inputValue()).toBe("");
  const [arrival] = fixture.arrivals;
  const sha = createHash("sha256").update(bytes).digest("base64");
  expect(arrival?.text).toContain("Desde la playa");
  expect(arrival?.body).toMatchObject({
    entry: [{ changes: [{ value: { messages: [{ type: "image", image: { sha256: sha } }] } }] }],
  });

  const id = fixture.standIn.addFile({ mime: "image/png", filename: null, bytes });
  const to = { to: "5215512345678", type: "image", image: { id } };
  await fixture.graph(`/${accountOf("whatsapp").id}/messages`, {
    method: "POST",
    body: { messaging_product: "whatsapp", ...to },
  });
  await page.getByRole("img", { name: "Picture of the business" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("a document is sent by its name, and is never shown as a page", async () => {
  const [fixture, page] = await open(1440, "light");
  const buffer = Buffer.from("<h1>not shown</h1>");
  const file = { name: "precios.html", mimeType: "text/html", buffer };
  await page.getByLabel("Picture or other file").setInputFiles(file);
  await page.getByRole("button", { name: "Send as customer" }).click();
  await page.getByText("[document]", { exact: true }).waitFor();
  expect(fixture.arrivals[0]?.text).toContain("precios.html");
  const { document } = Object(fixture.arrivals[0]?.body)["entry"][0].changes[0].value.messages[0];
  const shown = await fetch(`${fixture.standIn.url}/control/files/${document.id}`);
  expect(shown.status).toBe(404);
});
