import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createChangeStream } from "../../../api/live/change-stream.ts";
import { createLoginCheck } from "../../../api/live/login-check.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startStreamFixture } from "./stream-fixture.ts";

const fixture = useFixture(startStreamFixture);

afterEach(() => {
  fixture.leaveAll();
  vi.restoreAllMocks();
});

test("one query checks the logins of all streams, and each login once", async () => {
  const api = await fixture.startQuickApi({ checkMs: 50 });
  try {
    const accounts = await Promise.all([1, 2, 3].map(() => fixture.newAccount()));
    for (const account of [...accounts, ...accounts]) await fixture.openReady(account, api.url);
    const query = vi.spyOn(fixture.database.dataSource.manager, "query");
    const checks = () => query.mock.calls.filter(([sql]) => sql.includes("FROM sessions s"));
    await eventually(() => expect(checks().length).toBeGreaterThan(3));
    for (const [, values] of checks()) {
      // Three hashes and the time.
      expect(values).toHaveLength(4);
    }
  } finally {
    await api.stop();
  }
});

test("the last stream takes the timer of the check with it", () => {
  vi.useFakeTimers();
  try {
    const { dataSource } = fixture.database;
    const checks = createLoginCheck({ dataSource, log: fixture.api.deps.log }, 1_000);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const onDrain = () => undefined;
    const ids = { userId: 1, accountId: 1 };
    const stream = createChangeStream({ response, onDrain, onEnd: onDrain, ...ids });
    checks.add(stream, Buffer.alloc(32));
    expect(vi.getTimerCount()).toBe(1);
    checks.remove(stream);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
