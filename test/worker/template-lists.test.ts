import { Client } from "@temporalio/client";
import { expect, test } from "vitest";
import { createGraph } from "../../activities/channels/graph.ts";
import { requestTemplateSync } from "../../core/services/templates/template-syncs.ts";
import { metaAccounts } from "../../dev/stand-in/meta-accounts.ts";
import type { refreshTemplates } from "../../workflows/refresh-templates.ts";
import { startApiFixture } from "../api/api-fixture.ts";
import { asSystem } from "../support/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { startMetaChannels } from "../support/meta-channel.ts";
import { ageList } from "../support/templates.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, linkTemporal, payloadsOf, startTestWorker } from "../support/worker.ts";

const canary = "canary-text-8812";

// An API, a worker, and a stand-in of Meta with a number of WhatsApp.
const fixture = useFixture(async () => {
  const bare = await startApiFixture();
  const { accountId } = bare.account;
  const { dataSource } = bare.database;
  const whatsApp = metaAccounts.filter(({ network }) => network === "whatsapp");
  const channels = await startMetaChannels(dataSource, bare.api.url, accountId, whatsApp);
  const { url } = channels.standIn;
  const graph = createGraph({ graphUrl: url, instagramUrl: url, version: "v26.0" });
  const namespace = await createNamespace();
  const worker = await startTestWorker(bare.database, namespace, { graph });
  const link = await linkTemporal(namespace);
  return {
    ...bare,
    accountId,
    standIn: channels.standIn,
    channelId: channels.ids[0] ?? 0,
    client: new Client(link),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await channels.standIn.close();
      await graph.close();
      await bare.stop();
    },
  };
});

async function readRun(run: number) {
  return await eventually(async () => {
    const [row] = await fixture.query<{ id: number; run: number; requested_at: Date | null }>(
      "SELECT id, run, requested_at FROM channel_template_syncs WHERE account_id = ?",
      [fixture.accountId],
    );
    if (row?.run !== run || row.requested_at !== null) throw new Error(JSON.stringify(row));
    return row;
  });
}

test("a list is read by its run, again once it is due, and Temporal holds no text of it", async () => {
  const { standIn, database, accountId, channelId, client } = fixture;
  const template = {
    name: "aviso",
    language: "es",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: canary }],
  };
  standIn.setTemplates([template]);
  await asSystem(database.dataSource, accountId, (tx) => requestTemplateSync(tx, channelId));
  const { id } = await readRun(1);
  standIn.setTemplates([template, { ...template, language: "en" }]);
  await ageList(database.dataSource, accountId, 25 * 60);
  const options = { workflowId: "refresh-templates-test", taskQueue: "ops", args: [] as [] };
  const done = await client.workflow.execute<typeof refreshTemplates>("refreshTemplates", options);
  expect(done).toEqual({ requested: 1 });
  await readRun(2);
  const results: unknown[] = [];
  for (const run of [1, 2]) {
    const handle = client.workflow.getHandle(`templates-${id}-${run}`);
    results.push(await handle.result());
    const payloads = payloadsOf(await handle.fetchHistory());
    expect(payloads).toContain("syncId");
    expect(payloads).not.toMatch(/canary|aviso|stand-in-token/);
  }
  expect(results).toEqual([
    { state: "read", templates: 1 },
    { state: "read", templates: 2 },
  ]);
});
