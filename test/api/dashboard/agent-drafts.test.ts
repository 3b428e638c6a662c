import { beforeEach, expect, test } from "vitest";
import type { TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { receive } from "../../support/conversations.ts";
import { addAgentDraft } from "../../support/agent-drafts.ts";
import { freshPhone } from "../../support/contact-load.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { setUpAgent } from "../../worker/agent-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;
let conversationId: number;
let draftId: number;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
  const { dataSource } = fixture.database;
  await setUpAgent(fixture.database, admin.accountId, { modes: { whatsapp: "draft" } });
  const { row } = await receive(dataSource, admin.accountId, { from: freshPhone(), content: "¿?" });
  ({ conversationId } = row);
  draftId = await addAgentDraft(dataSource, row, { text: "Abrimos a las nueve." });
});

type Who = Pick<TestPerson, "cookie"> | null;
const call = async (method: string, path: string, who: Who, body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie: who?.cookie, body });
const codeOf = ({ status, json }: TestAnswer) => [status, json.error?.code ?? null];
const approval = { text: "Abrimos a las nueve.", proposal_ids: [] };

test("a draft is read with its conversation, and an agent of the account sends it", async () => {
  const path = `/conversations/${conversationId}`;
  const read = await call("GET", path, luis);
  expect(read.json.data).toMatchObject({
    agent_writing: false,
    agent_drafting: false,
    agent_draft: {
      id: draftId,
      source: "automatic",
      text: "Abrimos a las nueve.",
      proposals: [],
      fallback: null,
    },
  });
  const sent = await call("POST", `/agent-drafts/${draftId}/send`, luis, approval);
  expect([sent.status, sent.json.data.sender_type]).toEqual([201, "user"]);
  const again = await call("POST", `/agent-drafts/${draftId}/send`, luis, approval);
  expect([again.status, again.json.data.id]).toEqual([200, sent.json.data.id]);
  const other = await call("POST", `/agent-drafts/${draftId}/send`, admin, approval);
  expect(codeOf(other)).toEqual([409, "agent_draft_closed"]);
  expect((await call("GET", path, luis)).json.data).toMatchObject({
    agent_draft: null,
    bot_enabled: true,
  });
});

test("a suggestion is asked for and cancelled", async () => {
  const path = `/conversations/${conversationId}/suggestion`;
  const asked = await call("POST", path, luis);
  expect(asked.status).toBe(202);
  const drafting = async () =>
    (await call("GET", `/conversations/${conversationId}`, luis)).json.data.agent_drafting;
  expect(await drafting()).toBe(true);
  expect((await call("POST", path, admin)).json.data).toEqual(asked.json.data);
  expect((await call("DELETE", path, luis)).status).toBe(200);
  expect(await drafting()).toBe(false);
  await fixture.query("UPDATE agent_profiles SET enabled = FALSE");
  expect(codeOf(await call("POST", path, luis))).toEqual([409, "agent_is_off"]);
});

test("texts keep the limits of messages, and an empty message is refused", async () => {
  const send = async (text: string) =>
    codeOf(await call("POST", `/agent-drafts/${draftId}/send`, luis, { ...approval, text }));
  expect(await send("a".repeat(4_097))).toEqual([400, "validation_error"]);
  expect(await send("  ")).toEqual([400, "validation_error"]);
  expect(await send("")).toEqual([400, "validation_error"]);
});

test.each([
  ["POST", () => `/conversations/${conversationId}/suggestion`, "conversation_not_found"],
  ["DELETE", () => `/conversations/${conversationId}/suggestion`, "conversation_not_found"],
  ["POST", () => `/agent-drafts/${draftId}/send`, "agent_draft_not_found"],
  ["POST", () => `/agent-drafts/${draftId}/dismiss`, "agent_draft_not_found"],
])("%s %s: nobody without a login, nothing of another account", async (method, path, absent) => {
  const body = path().endsWith("/send") ? approval : undefined;
  expect(codeOf(await call(method, path(), null, body))).toEqual([401, "session_required"]);
  const stranger = await createTestAccount(fixture.database.dataSource);
  expect(codeOf(await call(method, path(), stranger, body))).toEqual([404, absent]);
  const [row] = await fixture.query("SELECT state FROM agent_drafts WHERE id = ?", [draftId]);
  expect(row).toEqual({ state: "open" });
});

test("a dismissed draft leaves the conversation", async () => {
  expect((await call("POST", `/agent-drafts/${draftId}/dismiss`, luis)).status).toBe(200);
  const read = await call("GET", `/conversations/${conversationId}`, luis);
  expect(read.json.data.agent_draft).toBeNull();
});
