import { afterEach, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLiveStreams } from "../../../api/live/live-streams.ts";
import { describeFileLimit } from "../../../core/file-limit.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { contentsOf, startVisitStreamFixture } from "./stream-fixture.ts";

const fixture = useFixture(startVisitStreamFixture);

afterEach(() => fixture.leaveVisits());

test("above WIDGET_MAX_STREAMS a stream is refused, and says when to come back", async () => {
  const { deps } = fixture.api;
  const config = { ...deps.config, widgetMaxStreams: 2 };
  const liveStreams = createLiveStreams({ ...deps, config });
  const listening = await listen(createApp({ ...deps, config, liveStreams }), "127.0.0.1", 0);
  const url = `http://127.0.0.1:${listening.port}`;
  try {
    const visitors = [];
    for (let count = 0; count < 3; count += 1) visitors.push((await fixture.newVisitor()).visitor);
    const [one, two, three] = visitors;
    if (one === undefined || two === undefined || three === undefined) throw new Error("Three.");
    const first = await fixture.followReady(one, url);
    await fixture.followReady(two, url);
    const refused = await fixture.follow(three, { url });
    await eventually(() => expect(refused.ended).toBe(true));
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "20"]);
    expect(JSON.parse(refused.text()).error.code).toBe("too_many_streams");
    first.leave();
    await eventually(async () => {
      const again = await fixture.follow(three, { url });
      expect(again.status).toBe(200);
    });
  } finally {
    await Promise.all([liveStreams.stop(), listening.stop()]);
  }
});

test("a reader who takes nothing is cut off, and comes back for the rest", async () => {
  const { widget, visitor, conversationId } = await fixture.newVisitor();
  const api = await fixture.startQuickApi({ heartbeatMs: 100 });
  try {
    const reader = await fixture.followReady(visitor, api.url);
    const from = reader.lastId();
    reader.pause();
    const { accountId } = widget.account;
    // More than the sockets of both sides hold, each change with 4 kB of text.
    await fixture.query(
      `INSERT INTO messages (account_id, conversation_id, contact_id, channel_account_id, channel,
           direction, type, content, sender_type, status, sent_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
       SELECT account_id, id, contact_id, channel_account_id, channel, 'outbound', 'text',
              CONCAT(i, ' ', REPEAT('x', 4000)), 'api', 'sent', UTC_TIMESTAMP(3)
         FROM n JOIN conversations WHERE id = ?`,
      [conversationId],
    );
    for (let turn = 0; turn < 12; turn += 1) {
      await fixture.query(
        `INSERT INTO changes (account_id, kind, conversation_id, contact_id, message_id, created_at)
         SELECT account_id, 'message.created', conversation_id, contact_id, id, UTC_TIMESTAMP(3)
           FROM messages WHERE account_id = ? AND direction = 'outbound' ORDER BY id`,
        [accountId],
      );
    }
    reader.pause();
    const open = async () => (await fixture.api.deps.metrics.openVisits.get()).values[0]?.value;
    await eventually(async () => expect(await open()).toBe(0));
    const back = await fixture.follow(visitor, { from });
    await eventually(() => expect(contentsOf(back)).toHaveLength(900));
  } finally {
    await api.stop();
  }
});

test.each([
  [null, 15_000, false],
  [1_024, 15_000, true],
  [20_000, 15_000, false],
  [15_000, 15_000, true],
])("a limit of %s files with %s streams: a warning is %s", (limit, streams, isWarned) => {
  expect(describeFileLimit(limit, streams).length > 0).toBe(isWarned);
});
