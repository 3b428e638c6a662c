import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createContact, freshPhone, startContactLoad } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";
import { attemptOf, settleLedger } from "../support/ledger.ts";
import type { Posted } from "../support/sink.ts";

// What a killed worker had under way comes back by time alone: a first attempt after the 15 s of its
// workflow task, a later one after the 20 s of its activity, rows that its relay had claimed after
// their lease of 10 s. The tests mostly wait for that, so they run side by side, each on an
// installation of its own.
const boundMs = 200_000;

test.concurrent(
  "a worker killed during a POST repeats that attempt: same number, id and bytes, counted once",
  async ({ onTestFinished }) => {
    const fixture = await createProcessFixture();
    onTestFinished(fixture.stop);
    const { sink } = fixture;
    const settings = { RETRY_WAITS_MS: "300,90000,90000,90000,90000,90000" };
    const [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker(settings)]);
    // Of two deliveries, one hangs in its first attempt (a local activity), one in its second (a
    // regular one).
    const later = await createFailedOnce(fixture, api.url);
    sink.answer = () => undefined;
    const first = await createContact(api.url, fixture.account.apiKey, freshPhone());
    await eventually(() => expect(sink.posts).toHaveLength(3));

    await worker.kill("SIGKILL");
    sink.answer = answer204;
    await fixture.startWorker(settings);
    const repeats = await settleLedger(fixture, [later, first]);

    expect(repeats).toBe(2);
    expect(postsOf(sink.posts, later.contactId).map(attemptOf)).toEqual([1, 2, 2]);
    expect(postsOf(sink.posts, first.contactId).map(attemptOf)).toEqual([1, 1]);
    expect(await listPosts(fixture)).toEqual([
      { contact: later.contactId, number: 1, posts: 1 },
      { contact: later.contactId, number: 2, posts: 2 },
      { contact: first.contactId, number: 1, posts: 2 },
    ]);
  },
  boundMs,
);

test.concurrent(
  "two workers with a relay each post 200 events once; one killed among 200 more loses none",
  async ({ onTestFinished }) => {
    const fixture = await createProcessFixture();
    onTestFinished(fixture.stop);
    const { sink, account } = fixture;
    const [api, killed] = await Promise.all([
      fixture.startApi(),
      fixture.startWorker(),
      fixture.startWorker(),
    ]);
    const quiet = await startContactLoad(api.url, account.apiKey, { count: 200 }).done;
    expect(quiet.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 201));
    expect(await settleLedger(fixture, quiet)).toBe(0);

    // Slow enough to have some posts under way at the kill, also where that takes its time.
    sink.answer = (_, response) => void setTimeout(() => answer204(_, response), 1_000);
    const load = startContactLoad(api.url, account.apiKey, { count: 200 });
    await eventually(() => expect(sink.posts.length).toBeGreaterThan(280));
    await killed.kill("SIGKILL");
    const underWay = await countUnderWay(fixture);
    const calls = await load.done;
    const repeats = await settleLedger(fixture, [...quiet, ...calls]);
    expect(underWay).toBeGreaterThan(0);
    expect(repeats).toBeLessThanOrEqual(underWay);
  },
  boundMs,
);

test.concurrent(
  "with api and worker killed in a burst of 100 events, every accepted one is delivered after their restart",
  async ({ onTestFinished }) => {
    const fixture = await createProcessFixture();
    onTestFinished(fixture.stop);
    const { sink, account } = fixture;
    const [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker()]);
    sink.answer = (_, response) => void setTimeout(() => answer204(_, response), 100);
    const load = startContactLoad(api.url, account.apiKey, { count: 100, lanes: 4 });
    await eventually(() => expect(load.calls.length).toBeGreaterThan(30));
    await Promise.all([api.kill("SIGKILL"), worker.kill("SIGKILL")]);
    const underWay = await countUnderWay(fixture);
    const calls = await load.done;
    expect(calls.some(({ status }) => status === 0)).toBe(true);

    const [again] = await Promise.all([fixture.startApi(), fixture.startWorker()]);
    // Who had no answer asks again, as a caller would, also after a 503 of a process that has just
    // begun. A contact that is there already is no new one.
    const retried = await Promise.all(
      calls
        .filter(({ status }) => status === 0)
        .map(async ({ phone }) =>
          eventually(async () => {
            const call = await createContact(again.url, account.apiKey, phone);
            expect(call.status).toBeOneOf([200, 201]);
            return call;
          }),
        ),
    );
    const repeats = await settleLedger(fixture, [...calls, ...retried]);
    expect(await countContacts(fixture)).toBe(100);
    expect(repeats).toBeLessThanOrEqual(underWay);
  },
  boundMs,
);

function answer204(_: Posted, response: ServerResponse): void {
  response.writeHead(204).end();
}

/** A delivery whose first attempt fails and whose second one hangs. */
async function createFailedOnce({ sink, account }: ProcessFixture, apiUrl: string) {
  sink.answer = (posted, response) => {
    if (attemptOf(posted) === 1) response.writeHead(500).end();
  };
  const call = await createContact(apiUrl, account.apiKey, freshPhone());
  await eventually(() => expect(sink.posts).toHaveLength(2));
  return call;
}

function postsOf(posts: Posted[], contactId: number | null): Posted[] {
  return posts.filter(({ body }) => JSON.parse(body.toString()).data.contact_id === contactId);
}

async function listPosts({ database }: ProcessFixture): Promise<unknown[]> {
  return await database.dataSource.query(
    `SELECT e.contact_id AS contact, a.number, a.posts FROM delivery_attempts a
       JOIN deliveries d ON d.id = a.delivery_id JOIN events e ON e.id = d.event_id
      ORDER BY e.contact_id, a.seq`,
  );
}

/** Attempts that are begun and have no outcome yet. */
async function countUnderWay({ database }: ProcessFixture): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    "SELECT COUNT(*) AS n FROM delivery_attempts WHERE duration_ms IS NULL",
  );
  return Number(row?.n);
}

async function countContacts({ database }: ProcessFixture): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    "SELECT COUNT(*) AS n FROM contacts",
  );
  return Number(row?.n);
}
