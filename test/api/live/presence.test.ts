import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createPresence, type PresenceTimes } from "../../../api/live/presence.ts";
import { createStreamGroups } from "../../../api/live/stream-groups.ts";
import type { ViewerView } from "../../../core/model/presence.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { receive } from "../../support/conversations.ts";
import type { StreamReader } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { addMember, outcomeOf, type TestPerson } from "../dashboard/people-fixture.ts";
import { startStreamFixture } from "./stream-fixture.ts";

const fixture = useFixture(startStreamFixture);
let admin: TestAccount;
let luis: TestPerson;
let eva: TestPerson;
let conversationId: number;
let phone = 34_644_000_000;

beforeEach(async () => {
  admin = await fixture.newAccount();
  luis = await addMember(fixture, admin);
  eva = await addMember(fixture, admin);
  conversationId = await newConversation();
});

async function newConversation(): Promise<number> {
  const from = String((phone += 1));
  const { row } = await receive(fixture.database.dataSource, admin.accountId, { from });
  return row.conversationId;
}

const quick: PresenceTimes = {
  viewingMs: 1_500,
  typingMs: 500,
  writeMs: 50,
  readMs: 30,
  tickMs: 15,
};

/** Another API on the same database. @returns its URL. */
async function startApi(presence: PresenceTimes = quick): Promise<string> {
  const api = await fixture.startQuickApi({ presence });
  onTestFinished(async () => await api.stop());
  return api.url;
}

type Who = Pick<TestPerson, "cookie">;

interface BeatAnswer {
  data: { viewers: ViewerView[] };
  error: { code: string; details: { path: string }[] };
}

async function beat({ cookie }: Who, state: string, url = fixture.api.url, id = conversationId) {
  const answer = await fetch(`${url}/dashboard/api/conversations/${id}/presence`, {
    method: "PUT",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ state }),
  });
  return { status: answer.status, json: (await answer.json()) as BeatAnswer };
}

/** Opens a person's stream. It ends with the test. */
async function follow(who: Who, url?: string): Promise<StreamReader> {
  const reader = await fixture.openReady(who, url);
  onTestFinished(() => reader.leave());
  return reader;
}

/** What a reader was told of the conversation's people, in order. */
const heard = (reader: StreamReader): ViewerView[][] =>
  reader.events
    .filter(({ event }) => event === "presence")
    .map(({ data }) => {
      expect(data.conversation_id).toBe(conversationId);
      return data.viewers;
    });

const viewing = ({ userId }: TestPerson) => ({ user_id: userId, state: "viewing" });
const typing = ({ userId }: TestPerson) => ({ user_id: userId, state: "typing" });

test("two people in a conversation see each other look, type, pause and leave", async () => {
  const url = await startApi({ ...quick, viewingMs: 25_000 });
  const reader = await follow(luis, url);
  expect((await beat(luis, "viewing", url)).json).toStrictEqual({
    success: true,
    data: { viewers: [] },
  });
  expect((await beat(eva, "viewing", url)).json.data.viewers).toEqual([viewing(luis)]);
  await beat(eva, "typing", url);
  await eventually(() =>
    expect(heard(reader)).toEqual([[viewing(eva)], [typing(eva)], [viewing(eva)]]),
  );
  await beat(luis, "viewing", url);
  await beat(eva, "left", url);
  await eventually(() => expect(heard(reader).at(-1)).toEqual([]));
  expect(reader.events.find(({ event }) => event === "presence")?.id).toBeNull();
});

test("a heartbeat that changes nothing tells nothing, and one's own is not told to oneself", async () => {
  const url = await startApi({ ...quick, viewingMs: 25_000, typingMs: 6_000 });
  const reader = await follow(luis, url);
  await beat(luis, "viewing", url);
  for (let round = 0; round < 3; round += 1) await beat(eva, "typing", url);
  await beat(luis, "typing", url);
  await beat(eva, "viewing", url);
  await eventually(() => expect(heard(reader)).toEqual([[typing(eva)], [viewing(eva)]]));
});

test("people who told different processes see each other, wherever their streams are", async () => {
  const slow = { ...quick, viewingMs: 25_000, typingMs: 25_000 };
  const [one, other] = [await startApi(slow), await startApi(slow)];
  const reader = await follow(luis, one);
  const far = await follow(eva, other);
  // Neither stream is in the process that took the heartbeat.
  await beat(luis, "viewing", other);
  await beat(eva, "typing", one);
  await eventually(() => expect(heard(reader)[0]).toEqual([typing(eva)]));
  await eventually(() => expect(heard(far)[0]).toEqual([viewing(luis)]));
  await beat(luis, "viewing", one);
  // The leave comes to another process than the heartbeat before it.
  await beat(eva, "left", other);
  await eventually(() => expect(heard(reader).at(-1)).toEqual([]));
});

test("who has gone without a word is gone once their time is over, also with their process", async () => {
  const times = { ...quick, viewingMs: 3_000 };
  const one = await startApi(times);
  const dying = await fixture.startQuickApi({ presence: times });
  const reader = await follow(luis, one);
  await eventually(async () => {
    await beat(luis, "viewing", one);
    await beat(eva, "viewing", dying.url);
    expect(heard(reader)[0]).toEqual([viewing(eva)]);
  });
  const stopped = dying.stop();
  // A person who is not there does not hear of it.
  await eventually(async () => {
    await beat(luis, "viewing", one);
    expect(heard(reader).at(-1)).toEqual([]);
  });
  await stopped;
});

test("whoever looks elsewhere hears nothing, nor does another account", async () => {
  const url = await startApi({ ...quick, viewingMs: 25_000 });
  const stranger = await createTestAccount(fixture.database.dataSource);
  const elsewhere = await newConversation();
  const [mine, theirs, foreign] = [
    await follow(luis, url),
    await follow(eva, url),
    await follow(stranger, url),
  ];
  await beat(eva, "viewing", url, elsewhere);
  const refused = await beat(stranger, "typing", url);
  expect([refused.status, refused.json.error.code]).toEqual([404, "conversation_not_found"]);
  await beat(luis, "viewing", url);
  await beat(admin, "typing", url);
  await eventually(() =>
    expect(heard(mine)).toEqual([[{ user_id: admin.userId, state: "typing" }]]),
  );
  expect([heard(theirs), heard(foreign)]).toEqual([[], []]);
});

test("a new stream hears of a visitor who types already, where its person looks", async () => {
  const { presence } = fixture.api.deps.liveStreams;
  const { accountId } = admin;
  await beat(luis, "viewing");
  await beat(eva, "viewing", fixture.api.url, await newConversation());
  presence.visitorTypes({ accountId, conversationId }, true);
  const [mine, theirs] = [await follow(luis), await follow(eva)];
  const typingIn = (reader: StreamReader) =>
    reader.events.filter(({ event }) => event === "typing").map(({ data }) => data);
  await eventually(() =>
    expect(typingIn(mine)).toEqual([{ conversation_id: conversationId, is_typing: true }]),
  );
  presence.visitorTypes({ accountId, conversationId }, false);
  await eventually(() => expect(typingIn(mine)).toHaveLength(2));
  expect(typingIn(theirs)).toEqual([]);
});

test.each(["away", "", "VIEWING"])("the state %j is refused", async (state) => {
  const answer = await beat(luis, state);
  expect([answer.status, answer.json.error.details[0]?.path]).toEqual([400, "body.state"]);
});

test("an unknown conversation and a missing login are refused", async () => {
  expect((await beat(luis, "viewing", undefined, 987_654)).status).toBe(404);
  const none = await fixture.api.call(
    "PUT",
    `/dashboard/api/conversations/${conversationId}/presence`,
    { body: { state: "viewing" } },
  );
  expect([none.status, outcomeOf(none)]).toEqual([401, "session_required"]);
});

interface PresenceRow {
  process_id: string;
  version: number;
}

/** Rows with heartbeats of an account. The fixture's own API may still write one of another. */
const rowsOf = async (accountId: number) =>
  await fixture.query<PresenceRow>(
    "SELECT process_id, version FROM process_presence WHERE JSON_CONTAINS(heartbeats->'$[*][0]', ?)",
    [String(accountId)],
  );

test("200 people who type cost each process one write a second, and no row of a change", async () => {
  const { accountId } = admin;
  const changes = await fixture.count("changes");
  const { dataSource } = fixture.database;
  const { log } = fixture.api.deps;
  const processes = [1, 2].map(() =>
    createPresence({
      dataSource,
      log,
      byPerson: createStreamGroups(),
      visitors: { size: 0, tellTyping: () => undefined },
    }),
  );
  const began = performance.now();
  for (let round = 0; round < 30; round += 1) {
    for (let userId = 1; userId <= 200; userId += 1) {
      const who = { accountId, conversationId: 1 + (userId % 50), userId };
      processes[userId % 2]?.beat(who, "typing");
    }
    await sleep(100);
  }
  await Promise.all(processes.map(async (one) => await one.stop()));
  const seconds = (performance.now() - began) / 1_000;
  const counts = (await rowsOf(accountId)).map(({ version }) => version);
  expect(counts).toHaveLength(2);
  for (const count of counts) {
    expect(count).toBeGreaterThanOrEqual(2);
    expect(count).toBeLessThanOrEqual(seconds + 1);
  }
  expect(await fixture.count("changes")).toEqual(changes);
});

test("nothing is written while nobody sends a heartbeat", async () => {
  const url = await startApi();
  const reader = await follow(luis, url);
  const processId = await eventually(async () => {
    await beat(luis, "viewing", url);
    await beat(eva, "viewing", url);
    expect(heard(reader)[0]).toEqual([viewing(eva)]);
    const rows = await rowsOf(admin.accountId);
    expect(rows).toHaveLength(1);
    return rows[0]?.process_id;
  });
  const readVersion = async () => {
    const sql = "SELECT version FROM process_presence WHERE process_id = ?";
    return Number((await fixture.query<PresenceRow>(sql, [processId]))[0]?.version);
  };
  const before = await readVersion();
  // Both have expired by then, which every process sees by itself.
  await sleep(quick.viewingMs + 200);
  expect(await readVersion()).toBeLessThanOrEqual(before + 1);
  expect((await beat(eva, "viewing", url)).json.data.viewers).toEqual([]);
});

test("without its table people of one process still see each other", async () => {
  const url = await startApi();
  const reader = await follow(luis, url);
  await fixture.query("RENAME TABLE process_presence TO process_presence_away");
  try {
    await beat(luis, "viewing", url);
    await beat(eva, "typing", url);
    await eventually(() => expect(heard(reader)[0]).toEqual([typing(eva)]));
  } finally {
    await fixture.query("RENAME TABLE process_presence_away TO process_presence");
  }
});
