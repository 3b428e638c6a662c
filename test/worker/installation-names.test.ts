import type { Client } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageSendBody } from "../../core/model/message.ts";
import { namingOf } from "../../core/model/installation.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { receive } from "../support/conversations.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { connectToNewNamespace, startTestWorker } from "../support/worker.ts";

let namespace: string;
let client: Client;

beforeAll(async () => {
  client = await connectToNewNamespace();
  ({ namespace } = client.options);
});

afterAll(async () => await client.connection.close());

/** Sends messages on a new database, whose ids begin with 1. @returns how the last one stands. */
async function sendOnNewDatabase(installationId: string, count: number): Promise<unknown> {
  const database = await createTestDatabase();
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  const { row } = await receive(dataSource, accountId, { from: "5215512345678" });
  const naming = namingOf({ id: installationId, hasPlainNames: false });
  const worker = await startTestWorker(database, namespace, { naming });
  try {
    const send = async (content: string) =>
      await asSystem(dataSource, accountId, (tx) =>
        sendMessage(tx, row.conversationId, messageSendBody.parse({ content })),
      );
    for (let sent = 0; sent < count; sent += 1) await send(`message ${sent}`);
    return await eventually(async () => {
      const [left] = await dataSource.query<{ n: string }[]>(
        "SELECT COUNT(*) AS n FROM messages WHERE status IN ('queued', 'sending')",
      );
      expect(Number(left?.n)).toBe(0);
      const [last] = await dataSource.query("SELECT id FROM messages ORDER BY id DESC LIMIT 1");
      return last;
    });
  } finally {
    await worker.stop();
    await database.stop();
  }
}

test("a database made anew beside a kept Temporal sends its messages: no id meets an old one", async () => {
  // The customer's own message is number 1.
  expect(await sendOnNewDatabase("first2", 5)).toEqual({ id: 6 });
  expect(await sendOnNewDatabase("other2", 1)).toEqual({ id: 2 });
  for (const id of ["first2-message-2", "first2-message-6", "other2-message-2"]) {
    const { taskQueue } = await client.workflow.getHandle(id).describe();
    expect(taskQueue).toBe(`${id.slice(0, 6)}-conversations`);
  }
});

test("the schedules and their runs carry the id of the installation", async () => {
  await sendOnNewDatabase("third2", 1);
  for (const workflow of ["purge", "reconcile", "refreshPages", "refreshTemplates"]) {
    const { action } = await client.schedule.getHandle(`third2-${workflow}`).describe();
    expect(action).toMatchObject({
      workflowType: workflow,
      workflowId: `third2-${workflow}`,
      taskQueue: "third2-ops",
    });
  }
});
