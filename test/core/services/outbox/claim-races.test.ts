import { claimDue } from "../../../support/outbox.ts";
import { expect, test } from "vitest";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import {
  deleteOutboxRows,
  type ClaimedRow,
} from "../../../../core/services/outbox/outbox-claims.ts";
import { asSystem, createTestAccount, createTestSubscription } from "../../../support/accounts.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test("a row claimed the moment it commits comes with its delivery", async () => {
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  await createTestSubscription(dataSource, accountId, { url: "http://127.0.0.1:9/hook" });
  const total = 2_000;
  let written = 0;
  const write = async () => {
    while (written < total) {
      const phone = String(52_000_000_000 + (written += 1));
      await asSystem(dataSource, accountId, (tx) =>
        upsertContact(tx, { phone, email: undefined, name: undefined }),
      );
    }
  };
  const writers = Array.from({ length: 12 }, write);

  const claimed: ClaimedRow[] = [];
  while (claimed.length < total) {
    const rows = await asSystem(dataSource, 0, async (tx) => {
      const due = await claimDue(tx, 100);
      // As when Temporal has been told, or their leases would end before a slow run of this does.
      const ids = due.map(({ id }) => id);
      if (ids.length > 0) await deleteOutboxRows(tx, ids);
      return due;
    });
    claimed.push(...rows);
  }
  await Promise.all(writers);

  expect(claimed.filter(({ run, workflow_id }) => run === null || workflow_id === null)).toEqual(
    [],
  );
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
});
