import { expect, test } from "vitest";
import { createChangeAudience } from "../../../api/live/change-audience.ts";
import type { ChangeStream } from "../../../api/live/change-stream.ts";
import {
  listNewChanges,
  numberChanges,
  readChangeSequence,
  recordChange,
} from "../../../core/services/outbox/changes.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createTestDatabase);

/** An open stream, and the numbers of the changes that it was sent. */
function openStream(accountId: number, cursor: number) {
  const sent: number[] = [];
  const stream = {
    userId: 1,
    accountId,
    cursor,
    live: false,
    isCongested: () => false,
    send(changes: readonly { seq: number }[]) {
      sent.push(...changes.map(({ seq }) => seq));
    },
  };
  return { stream: stream as unknown as ChangeStream, sent };
}

test("a stream that comes while a change is being handed on gets that change", async () => {
  const { dataSource } = fixture;
  const { accountId } = await createTestAccount(dataSource);
  const run = async <T>(work: Parameters<typeof asSystem<T>>[2]) =>
    await asSystem(dataSource, accountId, work);
  await run(numberChanges);
  const { lastSeq: head } = await readChangeSequence(dataSource.manager);
  await run((tx) => recordChange(tx, { kind: "contact.updated", contactId: 1 }));
  await run(numberChanges);
  const changes = await listNewChanges(dataSource.manager, head);
  const audience = createChangeAudience(dataSource);
  await audience.handOn(changes, head);
  // Visitors are served after people, and the head of the feed moves after both.
  const { stream, sent } = openStream(accountId, head);
  audience.add(stream, head);
  expect(stream.live).toBe(false);
  await audience.catchUp(head + 1);
  expect([stream.live, sent]).toEqual([true, [head + 1]]);
});
