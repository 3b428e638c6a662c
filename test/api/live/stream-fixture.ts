import { expect } from "vitest";
import { createApp } from "../../../api/app.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLiveStreams, type LiveTimes } from "../../../api/live/live-streams.ts";
import { recordChange, type ChangeRecord } from "../../../core/services/outbox/changes.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { readStream, type StreamReader } from "../../support/event-stream.ts";
import { startApiFixture, type ApiFixture } from "../api-fixture.ts";

/** A fixture with readers of its streams, and changes to read. */
export interface StreamFixture extends ApiFixture {
  newAccount(): Promise<TestAccount>;
  /** Opens a stream, with `from` as its Last-Event-ID and `after` in its URL. */
  open(
    account: Pick<TestAccount, "cookie">,
    options?: { from?: string | null; after?: string; url?: string },
  ): Promise<StreamReader>;
  /** Opens a stream and waits until it has said where it stands. */
  openReady(account: Pick<TestAccount, "cookie">, url?: string): Promise<StreamReader>;
  /** Lets every reader go away. */
  leaveAll(): void;
  /** Commits one change. */
  record(account: TestAccount, given?: Partial<ChangeRecord>): Promise<void>;
  /** Commits many changes at once, as another process would have numbered them. */
  recordNumbered(account: TestAccount, count: number): Promise<void>;
  /** The numbers given to the account's changes, in order. */
  numbersOf(account: TestAccount): Promise<number[]>;
  /** Streams that the fixture's own API has open. */
  countOpen(): Promise<number | undefined>;
  /** Another API on the same database, whose streams look after themselves more often. */
  startQuickApi(times: Partial<LiveTimes>): Promise<{ url: string; stop(): Promise<void> }>;
}

/** Starts a fixture for streams; `settings` are environment variables of the API. */
export async function startStreamFixture(
  settings: Record<string, string> = {},
): Promise<StreamFixture> {
  const fixture = await startApiFixture(settings);
  const { dataSource } = fixture.database;
  const readers: StreamReader[] = [];
  const open: StreamFixture["open"] = async ({ cookie }, given = {}) => {
    const { from, after, url = fixture.api.url } = given;
    const headers: Record<string, string> = { cookie };
    if (typeof from === "string") headers["last-event-id"] = from;
    const query = after === undefined ? "" : `?after=${after}`;
    const reader = await readStream(`${url}/dashboard/api/stream${query}`, headers);
    readers.push(reader);
    return reader;
  };
  return {
    ...fixture,
    newAccount: async () => await createTestAccount(dataSource),
    open,
    async openReady(account, url) {
      const reader = await open(account, url === undefined ? {} : { url });
      await eventually(() => expect(reader.lastId()).not.toBeNull());
      return reader;
    },
    leaveAll() {
      for (const reader of readers.splice(0)) reader.leave();
    },
    async record({ accountId }, given = {}) {
      await asSystem(dataSource, accountId, (tx) =>
        recordChange(tx, { kind: "message.created", ...given }),
      );
    },
    recordNumbered: async (account, count) => await recordNumbered(fixture, account, count),
    async numbersOf({ accountId }) {
      const rows = await fixture.query<{ seq: number }>(
        "SELECT seq FROM changes WHERE account_id = ? AND seq IS NOT NULL ORDER BY seq",
        [accountId],
      );
      return rows.map(({ seq }) => seq);
    },
    countOpen: async () => (await fixture.api.deps.metrics.openStreams.get()).values[0]?.value,
    startQuickApi: async (times) => await startQuickApi(fixture, times),
  };
}

async function recordNumbered(fixture: ApiFixture, { accountId }: TestAccount, count: number) {
  await asSystem(fixture.database.dataSource, 0, async ({ manager }) => {
    const [row] = await manager.query(
      "SELECT last_seq FROM change_sequence WHERE id = 1 FOR UPDATE",
    );
    const last = Number(row.last_seq);
    await manager.query(
      `INSERT INTO changes (account_id, seq, kind, conversation_id, contact_id, message_id)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT /*+ SET_VAR(cte_max_recursion_depth = 1000000) */
              ?, ? + i, 'message.created', 9007199254740991, 9007199254740991, i FROM n`,
      [count, accountId, last],
    );
    await manager.query("UPDATE change_sequence SET last_seq = ? WHERE id = 1", [last + count]);
  });
}

async function startQuickApi({ api: { deps } }: ApiFixture, times: Partial<LiveTimes>) {
  const liveStreams = createLiveStreams(deps, { heartbeatMs: 15_000, checkMs: 10_000, ...times });
  const listening = await listen(createApp({ ...deps, liveStreams }), "127.0.0.1", 0);
  return {
    url: `http://127.0.0.1:${listening.port}`,
    stop: async () => void (await Promise.all([liveStreams.stop(), listening.stop()])),
  };
}
