import { expect } from "vitest";
import { recordMessageStatus } from "../../../core/services/conversations/message-sending.ts";
import { asSystem } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { readStream, type StreamReader } from "../../support/event-stream.ts";
import { startStreamFixture, type StreamFixture } from "../live/stream-fixture.ts";
import {
  createTestWidget,
  openVisit,
  type TestVisitor,
  type TestWidget,
} from "./widget-fixture.ts";

/** A fixture with visitors and their streams. */
export interface VisitStreamFixture extends StreamFixture {
  /** A visitor who has written, in an account of its own. */
  newVisitor(): Promise<{ widget: TestWidget; visitor: TestVisitor; conversationId: number }>;
  conversationOf(widget: TestWidget): Promise<number>;
  follow(
    visitor: Pick<TestVisitor, "token">,
    options?: { from?: string | null; url?: string },
  ): Promise<StreamReader>;
  /** Opens a stream and waits for its `ready`. */
  followReady(visitor: Pick<TestVisitor, "token">, url?: string): Promise<StreamReader>;
  /** The company writes, and its message leaves. @returns the id of the message. */
  reply(widget: TestWidget, conversationId: number, content: string): Promise<number>;
  leaveVisits(): void;
}

/** Starts the fixture. */
export async function startVisitStreamFixture(): Promise<VisitStreamFixture> {
  const fixture = await startStreamFixture({ TRUST_PROXY: "true" });
  const readers: StreamReader[] = [];
  const follow: VisitStreamFixture["follow"] = async ({ token }, options = {}) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (typeof options.from === "string") headers["last-event-id"] = options.from;
    const url = options.url ?? fixture.api.url;
    const reader = await readStream(`${url}/widget/api/stream`, headers);
    readers.push(reader);
    return reader;
  };
  const conversationOf = async ({ account }: TestWidget) => {
    const sql = "SELECT id FROM conversations WHERE account_id = ? ORDER BY id DESC LIMIT 1";
    const [row] = await fixture.query<{ id: number }>(sql, [account.accountId]);
    return Number(row?.id);
  };
  return {
    ...fixture,
    conversationOf,
    follow,
    async newVisitor() {
      const widget = await createTestWidget(fixture);
      const visitor = await openVisit(fixture, widget);
      await visitor.write("Hola");
      return { widget, visitor, conversationId: await conversationOf(widget) };
    },
    async followReady(visitor, url) {
      const reader = await follow(visitor, url === undefined ? {} : { url });
      await eventually(() => expect(reader.events[0]?.event).toBe("ready"));
      return reader;
    },
    async reply({ account }, conversationId, content) {
      const path = `/dashboard/api/conversations/${conversationId}/messages`;
      const { cookie, accountId } = account;
      const answer = await fixture.api.call("POST", path, { cookie, body: { content } });
      const { id } = answer.json.data;
      await asSystem(fixture.database.dataSource, accountId, async (tx) => {
        await recordMessageStatus(tx, id, "sent");
      });
      return id;
    },
    leaveVisits() {
      for (const reader of readers.splice(0)) reader.leave();
    },
  };
}

/** Contents of the messages that a reader got, each once, in the order of their first arrival. */
export function contentsOf(reader: StreamReader): string[] {
  const messages = reader.events.filter(({ event }) => event.startsWith("message"));
  const byId = new Map(messages.map(({ data }) => [Number(data.id), String(data.content)]));
  return [...byId.values()];
}

/** Data of the events of a kind. */
export function dataOf(reader: StreamReader, kind: string) {
  return reader.events.filter(({ event }) => event === kind).map(({ data }) => data);
}
