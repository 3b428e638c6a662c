import type { Dialogue } from "../../../core/agent/basic/dialogue.ts";
import type { createEraseContact } from "../../../activities/erase-contact.ts";
import { createPoster, type Poster } from "../../../activities/http/post.ts";
import { createHostLimiter } from "../../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import type { Activities } from "../../../activities/index.ts";
import { createWorkerMetrics } from "../../../activities/metrics.ts";
import { createLog } from "../../../core/log.ts";
import { createRegistry } from "../../../core/metrics.ts";
import { retryWaitsMs, type AttemptOutcome } from "../../../core/model/workflow/delivery.ts";
import type {
  EraseContactInput,
  EraseEventsProgress,
  ForgetCallsProgress,
} from "../../../core/model/erasure.ts";
import type { WorkflowCommand } from "../../../core/model/workflow/workflow-command.ts";
import { insertRow } from "../../../core/services/sql.ts";
import {
  AgentConversation,
  AgentStep,
  AgentToolCall,
  AgentTurn,
} from "../../../db/entities/agent-turn.ts";
import { AgentCase } from "../../../db/entities/agent-case.ts";
import { AgentRating } from "../../../db/entities/agent-rating.ts";
import { AgentDraft } from "../../../db/entities/agent-draft.ts";
import { KnowledgeGap } from "../../../db/entities/knowledge.ts";
import { asSystem, createTestSubscription, testSecretBox } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { createTestResource } from "../../support/appointments.ts";
import { receive } from "../../support/conversations.ts";
import { startSink, type Sink } from "../../support/sink.ts";
import { createTestEndpoint } from "../inbound/inbound-fixture.ts";
import { startApiFixture, type ApiFixture } from "../api-fixture.ts";
import { createTestActivities, noServices } from "../../support/activity-deps.ts";

/** A delivery of an event of a contact. */
interface DeliveryOf {
  id: number;
  state: string;
  reason: string | null;
  attempts_made: number;
}

/** A contact with everything that can be kept of one. */
export interface Life {
  accountId: number;
  contactId: number;
  conversationId: number;
  /** Its message to the customer that was sent last. */
  messageId: number;
  contact: { phone: string; email: string; name: string };
}

/**
 * A fixture with a receiver that answers what it was sent, the worker's activities, and three
 * subscriptions to everything: an active one, a paused one and a disabled one.
 */
export interface ErasureFixture extends ApiFixture {
  sink: Sink;
  activities: Activities;
  newPhone(): string;
  /** A request of the Dashboard. */
  panel: (method: string, path: string, body?: unknown) => Promise<TestAnswer>;
  /** A request of API v1, with an `Idempotency-Key` if one is given. */
  rest: (method: string, path: string, body: object, key?: string) => Promise<TestAnswer>;
  /** Every text of it holds `word`; `refused`: inbound calls told of it before it was there. */
  makeLife(word: string, options?: { refused: boolean }): Promise<Life>;
  /** The oldest first. */
  deliveriesOf(contactId: number): Promise<DeliveryOf[]>;
  countByState(contactId: number): Promise<Record<string, number>>;
}

/** The parts of a fixture that an erasure needs. */
type ErasureWork = Pick<ErasureFixture, "query" | "account"> & {
  activities: ReturnType<typeof createEraseContact>;
};

/** Starts an erasure's fixture. */
export async function startErasureFixture(): Promise<ErasureFixture> {
  const bare = await startApiFixture();
  const { api, account, query } = bare;
  const sink = await startSink();
  const poster = createPoster({ policy: { allowPrivate: true, ownHosts: [] } });
  let phones = 5_215_599_000_000;
  const fixture: ErasureFixture = {
    ...bare,
    sink,
    activities: activitiesOf(bare, poster),
    newPhone: () => String((phones += 1)),
    panel: async (method, path, body) =>
      await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body }),
    rest: async (method, path, body, key) => {
      const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
      return await api.call(method, `/api/v1${path}`, { apiKey: account.apiKey, body, headers });
    },
    makeLife: async (word, { refused } = { refused: true }) =>
      await makeLife(fixture, word, refused),
    deliveriesOf: async (contactId) =>
      await query(
        `SELECT d.id, d.state, d.reason, d.attempts_made FROM deliveries d
           JOIN events e ON e.id = d.event_id WHERE e.contact_id = ? ORDER BY d.id`,
        [contactId],
      ),
    async countByState(contactId) {
      const counts: Record<string, number> = {};
      for (const { state } of await fixture.deliveriesOf(contactId))
        counts[state] = (counts[state] ?? 0) + 1;
      return counts;
    },
    async stop() {
      await poster.close();
      await sink.stop();
      await bare.stop();
    },
  };
  await subscribe(fixture);
  return fixture;
}

async function subscribe({ database, account, sink, query }: ErasureFixture): Promise<void> {
  for (const state of ["active", "paused", "disabled"]) {
    const url = `${sink.url}/${state}`;
    const { id } = await createTestSubscription(database.dataSource, account.accountId, { url });
    await query("UPDATE subscriptions SET state = ? WHERE id = ?", [state, id]);
  }
}

async function makeLife(fixture: ErasureFixture, word: string, refused: boolean): Promise<Life> {
  const { rest, panel } = fixture;
  const { accountId } = fixture.account;
  const phone = fixture.newPhone();
  const contact = { phone, email: `${word}@example.org`, name: `Señor ${word}` };
  const endpoint = await createTestEndpoint(fixture, { account: fixture.account });
  if (refused) {
    await endpoint.act("contact.tag.add", { phone: `+${phone}`, tag: `${word}-early` });
    await endpoint.act("contact.upsert", { email: `${word}@EXAMPLE.org`, name: 7 });
  }
  const created = await rest(
    "POST",
    "/contacts",
    { ...contact, name: `Before ${word}` },
    `c-${word}`,
  );
  await endpoint.act("contact.upsert", contact);
  await endpoint.act("contact.tag.add", { phone, tag: `${word}-tag` });
  await receive(fixture.database.dataSource, accountId, {
    from: phone,
    content: `Hola, soy ${word}`,
    providerId: `wamid-${word}`,
    media: { url: `https://cdn.example/${word}.jpg`, mime_type: "image/jpeg" },
    attachments: [fileOf(word)],
    interactive: { type: "button", title: `${word} agrees` },
    referral: { source_type: "ad", headline: `For ${word}` },
    raw: { type: "hologram", of: word },
    username: word,
  });
  const opening = { phone, initial_message: `Hello ${word}` };
  const opened = await rest("POST", "/conversations", opening, `o-${word}`);
  const conversationId: number = opened.json.data.id;
  const path = `/conversations/${conversationId}`;
  const message = { content: `Dear ${word}`, external_id: `ext-${word}` };
  const sent = await rest("POST", `${path}/messages`, message, `m-${word}`);
  await panel("POST", `${path}/notes`, { text: `${word} is nice` });
  await panel("POST", `${path}/bot`, { enabled: false, reason: `${word} wants a person` });
  const contactId: number = created.json.data.id;
  const resourceId = await createTestResource(fixture.database.dataSource, accountId);
  const booking = { resource_id: resourceId, contact_id: contactId, duration_minutes: 30 };
  await panel("POST", "/appointments", { ...booking, start_time: "2030-03-05T10:00:00Z" });
  await addAgentRows(fixture, { accountId, contactId, conversationId }, word);
  await addChannelRows(fixture, { conversationId, phone }, word);
  return { accountId, contactId, conversationId, messageId: sent.json.data.id, contact };
}

/** A file of the customer, as a network names it. */
function fileOf(word: string) {
  return {
    kind: "document" as const,
    providerMediaId: `media-${word}`,
    url: `https://cdn.example/${word}.pdf?signature=${word}`,
    mime: "application/pdf",
    sha256: null,
    filename: `${word}.pdf`,
    voice: false,
    errorCode: null,
  };
}

/** A webhook that named the customer, with an item that could not be applied, and a reaction. */
async function addChannelRows(
  { query }: ErasureFixture,
  { conversationId, phone }: { conversationId: number; phone: string },
  word: string,
): Promise<void> {
  const body = JSON.stringify({ from: phone, text: `Soy ${word}` });
  await query(
    `INSERT INTO channel_webhooks (account_id, channel_app_id, body, state)
     SELECT account_id, 1, ?, 'done' FROM conversations WHERE id = ?`,
    [body, conversationId],
  );
  await query(
    `INSERT INTO channel_items (account_id, channel_app_id, webhook_id, channel_account_id, network,
         external_id, customer, kind, key_hash, payload, state)
     SELECT account_id, 1, (SELECT MAX(id) FROM channel_webhooks), channel_account_id, 'whatsapp', '1', ?, 'message',
         UNHEX(SHA2(?, 256)), ?, 'parked' FROM conversations WHERE id = ?`,
    [phone, word, body, conversationId],
  );
  await query(
    `INSERT INTO message_reactions (account_id, message_id, conversation_id, emoji)
     SELECT account_id, MAX(id), conversation_id, ? FROM messages WHERE conversation_id = ?
      GROUP BY account_id, conversation_id`,
    [word, conversationId],
  );
}

/** A turn of the agent with a step, a call and a draft, a gap, and the state of the conversation. */
async function addAgentRows(
  { database: { dataSource } }: ErasureFixture,
  ids: { accountId: number; contactId: number; conversationId: number },
  word: string,
): Promise<void> {
  const { accountId, conversationId } = ids;
  await asSystem(dataSource, accountId, async (tx) => {
    const facts = { epoch: 0, watermark: 1, settingsNumber: 1, mode: "live" as const };
    const turnId = await insertRow(tx, AgentTurn, { ...ids, ...facts, engine: "basic" });
    const usage = { input: 0, cached: 0, output: 0 };
    const output = { kind: "reply", text: `Hola ${word}`, usage } as const;
    await insertRow(tx, AgentStep, { accountId, turnId, seq: 1, state: "done", output });
    await insertRow(tx, AgentToolCall, {
      ...ids,
      turnId,
      seq: 1,
      position: 0,
      callId: "c",
      tool: "update_contact",
      input: { name: word },
      result: { ok: true, name: word, email: null },
      code: "ok",
    });
    await insertRow(tx, AgentDraft, {
      ...ids,
      turnId,
      openConversationId: conversationId,
      source: "automatic",
      text: `Hola ${word}`,
      proposals: [],
      state: "open",
    });
    const question = `Soy ${word}, ¿abren hoy?`;
    await insertRow(tx, KnowledgeGap, { ...ids, turnId, question, language: "es" });
    const made = { channel: "whatsapp" as const, customerLines: [`Soy ${word}`] };
    const expected = { outcome: "replied" as const, tool: null, item_id: null };
    await insertRow(tx, AgentCase, { accountId, contactId: ids.contactId, ...made, expected });
    const rated = { accountId, conversationId, messageId: 1, turnId, userId: turnId };
    await insertRow(tx, AgentRating, { ...rated, value: "down", comment: `${word} was confused` });
    // No flow keeps a name. Erasure must reach one in the row all the same.
    const slots = { name: word } as Dialogue["slots"];
    const dialogue: Dialogue = { flow: "book", slots, asked: null, misses: 0 };
    await insertRow(tx, AgentConversation, { accountId, conversationId, dialogue });
  });
}

function activitiesOf({ database: { dataSource } }: ApiFixture, poster: Poster): Activities {
  return createTestActivities({
    dataSource,
    secretBox: testSecretBox,
    poster,
    log: createLog("test", "silent"),
    metrics: createWorkerMetrics(createRegistry()),
    hostLimiter: createHostLimiter(),
    sendPace: createSendPace(),
    ...noServices,
    retryJitter: 0,
    // There is no Temporal here.
    runStates: async () => await Promise.resolve(new Map()),
    stopping: new AbortController().signal,
  });
}

/** The receiver repeats what it is sent, in the body and in a header, with this status. */
export function echo(sink: Sink, status: number): void {
  sink.answer = ({ body }, response) => {
    const { data } = JSON.parse(body.toString("utf8"));
    const text = Buffer.from(JSON.stringify(data))
      .toString("latin1")
      .replaceAll(/[^ -~]/g, "?");
    response.writeHead(status, { "x-echo": text.slice(0, 500) }).end(body);
  };
}

/** Makes the next attempt of a delivery, number `seq` of its first run. */
export async function attempt(
  { activities, account: { accountId } }: ErasureFixture,
  deliveryId: number,
  seq = 1,
): Promise<AttemptOutcome> {
  const step = { seq, number: seq, manual: false };
  return await activities.attemptDelivery({
    accountId,
    deliveryId,
    run: 1,
    waitsMs: [...retryWaitsMs],
    ...step,
  });
}

/** What the relay would tell Temporal of a contact's erasure. */
export async function commandOf(
  fixture: Pick<ApiFixture, "query">,
  contactId: number,
): Promise<WorkflowCommand> {
  const rows = await fixture.query<{ command: WorkflowCommand }>(
    "SELECT command FROM outbox WHERE kind = 'request' AND command->>'$.workflowId' = ?",
    [`erase-contact-${contactId}`],
  );
  if (rows[0] === undefined) throw new Error("no command");
  return rows[0].command;
}

/** Does what the workflow does in one sweep, and ends the erasure. @returns the erased events of each step. */
export async function sweep(fixture: ErasureWork, contactId: number): Promise<number[]> {
  const input = (await commandOf(fixture, contactId)).input as EraseContactInput;
  while (!(await fixture.activities.eraseContactRows(input)).done);
  const steps: number[] = [];
  for (const id of input.contactIds) {
    let step: EraseEventsProgress = { erased: 0, after: null };
    do {
      const { accountId } = input;
      step = await fixture.activities.eraseContactEvents({
        accountId,
        contactId: id,
        after: step.after,
      });
      steps.push(step.erased);
    } while (step.after !== null);
  }
  await searchCalls(fixture, contactId);
  await fixture.activities.endContactErasure({ accountId: input.accountId, contactId });
  return steps;
}

/** Searches all refused inbound calls for the person, as the workflow does. */
async function searchCalls(fixture: ErasureWork, contactId: number): Promise<void> {
  const { accountId } = fixture.account;
  let step: ForgetCallsProgress = { after: 0, done: false };
  while (!step.done) {
    step = await fixture.activities.forgetRefusedCalls({ accountId, contactId, after: step.after });
  }
}

/** Every row of every table that holds one of the words, in any column, bytes included. */
export async function findRows(
  fixture: Pick<ApiFixture, "query">,
  words: string[],
): Promise<string[]> {
  const tables = await fixture.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    for (const row of await fixture.query(`SELECT * FROM ${name}`)) {
      const text = Object.entries(row).map(([column, value]) => `${column}=${textOf(value)}`);
      const hits = text.filter((one) => words.some((word) => one.toLowerCase().includes(word)));
      if (hits.length > 0) found.push(`${name}: ${hits.join(" ").slice(0, 300)}`);
    }
  }
  return found;
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  return typeof value === "string" ? value : JSON.stringify(value);
}
