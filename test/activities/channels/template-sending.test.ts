import { expect, test } from "vitest";
import type { MetaTemplate } from "../../../dev/stand-in/meta-templates.ts";
import { requestTemplateSync } from "../../../core/services/templates/template-syncs.ts";
import { asSystem } from "../../support/accounts.ts";
import { ageList } from "../../support/templates.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startSendingFixture);
const reminder = { name: "recordatorio_cita", language: "es_MX" };
const params = { body: ["Ana", "lunes", "10:00"], buttons: { 2: "77" } };

async function readList(talk: TestTalk) {
  const { dataSource } = fixture.database;
  await asSystem(dataSource, talk.account.accountId, (tx) =>
    requestTemplateSync(tx, talk.channelAccountId),
  );
  return await talk.readTemplates();
}

async function talkWithList(): Promise<TestTalk> {
  const talk = await fixture.talk("whatsapp");
  expect(await readList(talk)).toEqual({ state: "read", templates: 4 });
  return talk;
}

async function contentOf(messageId: number) {
  const [row] = await fixture.query<{ content: string | null }>(
    "SELECT content FROM messages WHERE id = ?",
    [messageId],
  );
  return row?.content;
}

const age = async (talk: TestTalk, minutes: number) =>
  await ageList(fixture.database.dataSource, talk.account.accountId, minutes);

test("a template goes with its values also after the window has closed", async () => {
  const talk = await talkWithList();
  await talk.age(48);
  const input = await talk.queue({ type: "template", template: { ...reminder, params } });
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
  expect(talk.bodies()).toMatchObject([
    {
      type: "template",
      template: {
        name: "recordatorio_cita",
        components: [
          { type: "body", parameters: [{ text: "Ana" }, { text: "lunes" }, { text: "10:00" }] },
          { type: "button", sub_type: "url", index: "1", parameters: [{ text: "77" }] },
        ],
      },
    },
  ]);
  expect(await contentOf(input.messageId)).toBe("Hola Ana, te esperamos el lunes a las 10:00.");
  const [event] = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ? AND type = 'message.sent'",
    [talk.account.accountId],
  );
  expect(JSON.parse(String(event?.body)).data.content_preview).toContain("te esperamos el lunes");
});

test("named values and a file in the heading are taken by the strict stand-in", async () => {
  const talk = await talkWithList();
  const template = {
    name: "resultados_listos",
    language: "es_MX",
    params: {
      header: { document: "https://x.example/r.pdf" },
      body: { estudio: "sangre", nombre: "Ana" },
    },
  };
  expect(await talk.run(await talk.queue({ type: "template", template }))).toMatchObject({
    state: "sent",
  });
});

test("before the first read a template waits, and goes once the list is read", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue({ type: "template", template: { ...reminder, params } });
  expect(await talk.step(input)).toEqual({ state: "waiting", waitMs: 1_000, why: "templates" });
  expect(await talk.read(input)).toMatchObject({ status: "queued", tries: 0 });
  expect(await talk.readTemplates()).toMatchObject({ state: "read" });
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
  expect(await contentOf(input.messageId)).toContain("Hola Ana");
});

test("a template that is unknown after one read fails, and so do values that do not fit", async () => {
  const talk = await fixture.talk("whatsapp");
  const unknown = await talk.queue({ type: "template", template: { ...reminder, name: "none" } });
  const rejected = await talk.queue({
    type: "template",
    template: { ...reminder, name: "promo_verano" },
  });
  const empty = await talk.queue({ type: "template", template: reminder });
  await talk.readTemplates();
  for (const [input, code] of [
    [unknown, "template_unavailable"],
    [rejected, "template_unavailable"],
    [empty, "invalid_template_params"],
  ] as const) {
    expect(await talk.step(input)).toEqual({ state: "failed" });
    expect(await talk.read(input)).toMatchObject({ status: "failed", error: { code } });
  }
  expect(talk.bodies()).toEqual([]);
});

test("a template that was approved a minute ago goes, though the list is old", async () => {
  const talk = await talkWithList();
  const fresh: MetaTemplate = {
    name: "aviso",
    language: "es",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Aviso" }],
  };
  talk.standIn.setTemplates([fresh]);
  await age(talk, 60);
  const input = await talk.queue({ type: "template", template: { name: "aviso", language: "es" } });
  expect(await talk.step(input)).toMatchObject({ state: "waiting", why: "templates" });
  // Asking again and again requests no further read.
  expect(await talk.step(input)).toMatchObject({ state: "waiting" });
  await talk.readTemplates();
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
});

test("a list that cannot be read fails the message, which says the next step", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue({ type: "template", template: { ...reminder, params } });
  talk.standIn.script("token");
  expect(await talk.readTemplates()).toEqual({
    state: "failed",
    code: "token_refused",
    again: false,
  });
  talk.standIn.script("normal");
  expect(await talk.step(input)).toEqual({ state: "failed" });
  const { error } = await talk.read(input);
  expect(error?.code).toBe("template_unavailable");
  expect(error?.message).toContain("whatsapp_business_management");
});

test("a template that Meta has paused meanwhile is refused, and the list is read again", async () => {
  const talk = await talkWithList();
  const input = await talk.queue({ type: "template", template: { ...reminder, params } });
  await talk.standIn.moveTemplate("recordatorio_cita", "es_MX", "PAUSED");
  await age(talk, 2);
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(await talk.read(input)).toMatchObject({
    error: { code: "template_rejected", provider_code: "132015" },
  });
  await talk.readTemplates();
  await expect(
    talk.queue({ type: "template", template: { ...reminder, params } }),
  ).rejects.toMatchObject({ code: "template_unavailable" });
});

test("a pause that is known before the hand-over reaches no network", async () => {
  const talk = await talkWithList();
  const input = await talk.queue({ type: "template", template: { ...reminder, params } });
  await fixture.query("UPDATE channel_templates SET status = 'paused' WHERE account_id = ?", [
    talk.account.accountId,
  ]);
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(talk.bodies()).toEqual([]);
});

test("a network without templates refuses them at once", async () => {
  const talk = await fixture.talk("messenger");
  await expect(talk.queue({ type: "template", template: reminder })).rejects.toMatchObject({
    code: "template_unavailable",
  });
});

test("every page of a long list is read", async () => {
  const talk = await fixture.talk("whatsapp");
  const many = Array.from({ length: 250 }, (_, index) => ({
    name: `t_${index}`,
    language: "es",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: `Texto ${index}` }],
  }));
  talk.standIn.setTemplates(many);
  expect(await readList(talk)).toEqual({ state: "read", templates: 250 });
});

test("Meta that is away, or busy, is asked again, and then given up", async () => {
  const talk = await talkWithList();
  await age(talk, 2);
  await asSystem(fixture.database.dataSource, talk.account.accountId, (tx) =>
    requestTemplateSync(tx, talk.channelAccountId),
  );
  await talk.standIn.close();
  expect(await talk.readTemplates(false)).toEqual({
    state: "failed",
    code: "unreachable",
    again: true,
  });
  expect(await talk.readTemplates(true)).toMatchObject({ again: false });
  expect(await talk.readTemplates(true)).toEqual({ state: "over" });
  const [row] = await fixture.query(
    "SELECT COUNT(*) AS n FROM channel_templates WHERE account_id = ? AND gone_at IS NULL",
    [talk.account.accountId],
  );
  expect(row).toEqual({ n: 4 });
});
