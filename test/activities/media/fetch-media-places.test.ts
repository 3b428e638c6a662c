import { expect, test } from "vitest";
import { RetryLaterError } from "../../../activities/retry-later.ts";
import { fileIdOf } from "../../../dev/stand-in/meta-media.ts";
import { createTestAccount } from "../../support/accounts.ts";
import { createActivityEnvironment } from "../../support/activity.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startFetchMediaFixture } from "./fetch-media-fixture.ts";

const fixture = useFixture(startFetchMediaFixture);
const sourceUrl = () => `${fixture.meta.url}/cdn/${fileIdOf("image")}`;

/** Activities of one process, whose downloads hang until they are let go. */
function startHanging() {
  const letGo: (() => void)[] = [];
  const { fetchMedia } = fixture.activitiesWith({
    download: async () =>
      await new Promise((resolve) => {
        letGo.push(() => resolve({ file: null, fault: "unreachable" }));
      }),
  });
  return {
    letGo,
    fetch: async (mediaId: number, { accountId = fixture.account.accountId, attempt = 1 } = {}) =>
      await createActivityEnvironment({ attempt }).run(
        async () => await fetchMedia({ accountId, mediaId }),
      ),
  };
}

/** Rows of files, and a try of each. */
async function hangMany({ fetch, letGo }: ReturnType<typeof startHanging>, accountId: number) {
  const ids: number[] = [];
  const before = letGo.length;
  for (let n = 0; n < 8; n += 1)
    ids.push(await fixture.addRow({ account_id: accountId, source_url: sourceUrl() }));
  const tries = ids.map(async (id) => await fetch(id, { accountId }));
  await eventually(() => expect(letGo).toHaveLength(before + 8));
  return tries;
}

const waitOf = async (work: Promise<unknown>): Promise<number> => {
  const error = await work.catch((caught: unknown) => caught);
  return error instanceof RetryLaterError ? error.retryAfterMs : 0;
};

test("downloads that hang leave an account 8 places, and a file that waits loses no try", async () => {
  const hanging = startHanging();
  const tries = await hangMany(hanging, fixture.account.accountId);
  const ninth = await fixture.addRow({ source_url: sourceUrl() });
  const before = await fixture.readRow(ninth);
  const waitMs = await waitOf(hanging.fetch(ninth));
  expect(waitMs).toBeGreaterThan(3_000);
  expect(waitMs).toBeLessThan(8_000);
  // A file that waits for long asks less often.
  expect(await waitOf(hanging.fetch(ninth, { attempt: 1_000 }))).toBeGreaterThan(40_000);
  expect(await fixture.readRow(ninth)).toEqual(before);
  expect(hanging.letGo).toHaveLength(8);

  for (const end of hanging.letGo) end();
  const waiting = { state: "waiting", waitMs: 1_000 };
  expect(await Promise.all(tries)).toEqual(tries.map(() => waiting));
  const last = hanging.fetch(ninth);
  await eventually(() => expect(hanging.letGo).toHaveLength(9));
  hanging.letGo[8]?.();
  expect(await last).toEqual(waiting);
  expect(await fixture.fetch(ninth)).toEqual({ state: "ready" });
  expect((await fixture.readRow(ninth)).tries).toBe(2);
});

test("downloads of all accounts together leave half of the queue to other work", async () => {
  const hanging = startHanging();
  const { dataSource } = fixture.database;
  const tries: Promise<unknown>[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { accountId } = await createTestAccount(dataSource);
    tries.push(...(await hangMany(hanging, accountId)));
  }
  const { accountId } = await createTestAccount(dataSource);
  const more = await fixture.addRow({ account_id: accountId, source_url: sourceUrl() });
  expect(await waitOf(hanging.fetch(more, { accountId }))).toBeGreaterThan(3_000);
  for (const end of hanging.letGo) end();
  await Promise.all(tries);
});
