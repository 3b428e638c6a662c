import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { createPageReader } from "../../activities/pages/page-reader.ts";
import { addKnowledgePage } from "../../core/services/agent/knowledge-sources.ts";
import type { refreshPages } from "../../workflows/refresh-pages.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startPageServer } from "../support/pages.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, linkTemporal, payloadsOf, startTestWorker } from "../support/worker.ts";

const canary = "canary-answer-3391";

// A worker that reads pages, and a site with one page.
const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  const { accountId } = await createTestAccount(database.dataSource);
  const namespace = await createNamespace();
  const pages = createPageReader({ policy: { allowPrivate: true, ownHosts: [] } });
  const worker = await startTestWorker(database, namespace, { pages });
  const link = await linkTemporal(namespace);
  const site = await startPageServer(`<h2>Open?</h2><p>${canary}</p>`);
  return {
    database,
    accountId,
    site,
    client: new Client(link),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await site.close();
      await database.stop();
    },
  };
});

/** Waits until a run of the page has stored its end. */
async function readRun(id: number, run: number) {
  return await eventually(async () => {
    const [row] = await fixture.database.dataSource.query<
      { run: number; requested_at: Date | null; questions: number }[]
    >("SELECT run, requested_at, questions FROM knowledge_sources WHERE id = ?", [id]);
    if (row?.run !== run || row.requested_at !== null) throw new Error(JSON.stringify(row));
    return row;
  });
}

test("a page is read by its run, again once it is due, and Temporal holds no text of it", async () => {
  const { database, accountId, site, client } = fixture;
  const { id } = await asSystem(database.dataSource, accountId, (tx) =>
    addKnowledgePage(tx, { kind: "page", url: `${site.url}?canary-url-3391`, language: "en" }),
  );
  expect(await readRun(id, 1)).toMatchObject({ questions: 1 });
  await database.dataSource.query(
    "UPDATE knowledge_sources SET due_at = NOW() - INTERVAL 1 SECOND",
  );
  const options = { workflowId: "refresh-pages-test", taskQueue: "ops", args: [] as [] };
  const done = await client.workflow.execute<typeof refreshPages>("refreshPages", options);
  expect(done).toEqual({ requested: 1 });
  await readRun(id, 2);
  const suggested = await database.dataSource.query<unknown[]>(
    "SELECT answer FROM knowledge_items WHERE source_id = ?",
    [id],
  );
  expect(suggested).toEqual([{ answer: canary }]);
  const results: unknown[] = [];
  for (const run of [1, 2]) {
    const handle = client.workflow.getHandle(`knowledge-page-${id}-${run}`);
    results.push(await handle.result());
    const payloads = payloadsOf(await handle.fetchHistory());
    expect(payloads).toContain("sourceId");
    expect(payloads).not.toMatch(/canary/);
  }
  expect(results).toEqual([
    { state: "ready", suggested: 1 },
    { state: "ready", suggested: 0 },
  ]);
});
