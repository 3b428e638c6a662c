import { beforeEach, expect, test } from "vitest";
import { createSecretBox, generateSecretKey, sealedTables } from "../../core/secrets.ts";
import { queueLinkMail } from "../../core/services/accounts/mails.ts";
import { createProvider } from "../../core/services/agent/providers.ts";
import { saveChannelApp } from "../../core/services/channels/channel-apps.ts";
import { storeToken } from "../../core/services/channels/channel-tokens.ts";
import { createInboundEndpoint } from "../../core/services/inbound/inbound-endpoints.ts";
import { createSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { insertWidgetSecret } from "../../core/services/widgets/widget-secrets.ts";
import { checkSecretKey } from "../../db/boot-checks.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { linkCalendar } from "../support/calendars.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const oldKey = generateSecretKey("old");
const newKey = generateSecretKey("new");
const oldBox = createSecretBox(oldKey);
const newBox = createSecretBox(newKey);

/** Seals a secret into each table, as a process with the older settings does. */
const sealers: Record<keyof typeof sealedTables, (tx: Tx) => Promise<unknown>> = {
  subscription_secrets: async (tx) =>
    await createSubscription(tx, oldBox, { url: "https://example.com/hook", events: ["*"] }),
  inbound_endpoint_secrets: async (tx) =>
    await createInboundEndpoint(tx, oldBox, "inbound", { name: "late", strict: false }),
  calendar_connections: async (tx) =>
    await linkCalendar(tx, { resourceId: 1, calendarId: "late", secretBox: oldBox }),
  agent_providers: async (tx) =>
    await createProvider(tx, oldBox, {
      kind: "openai",
      base_url: null,
      model: "m",
      api_key: "sk-1",
      input_price: 0,
      output_price: 0,
    }),
  channel_app_secrets: async (tx) =>
    await saveChannelApp(tx, oldBox, { app_id: "880", app_secret: "late" }),
  channel_account_tokens: async (tx) =>
    await storeToken(tx, oldBox, 1, { token: "late", scopes: null, expiresAt: null }),
  widget_secrets: async (tx) => await insertWidgetSecret(tx, oldBox, 1),
  mails: async (tx) =>
    await queueLinkMail(tx, oldBox, { kind: "invitation", userLinkId: 1, token: "late" }),
};

beforeEach(async () => {
  for (const table of Object.keys(sealedTables)) {
    await database.dataSource.query(`DELETE FROM ${table}`);
  }
  await checkSecretKey(database.dataSource, newBox);
});

test.each(Object.entries(sealers))(
  "a key that a row of %s still needs cannot be dropped",
  async (_table, seal) => {
    const { accountId } = await createTestAccount(database.dataSource);
    await asSystem(database.dataSource, accountId, seal);
    const checking = checkSecretKey(database.dataSource, newBox);
    await expect(checking).rejects.toThrow('SECRET_KEY lacks the key "old"');
    await checkSecretKey(database.dataSource, createSecretBox(`${newKey},${oldKey}`));
  },
);

test("a mail that was sent needs no key", async () => {
  const { accountId } = await createTestAccount(database.dataSource);
  await asSystem(database.dataSource, accountId, sealers.mails);
  await database.dataSource.query("UPDATE mails SET state = 'sent', sealed = NULL, key_id = NULL");
  await expect(checkSecretKey(database.dataSource, newBox)).resolves.toBeUndefined();
});

test("every table that names a key is checked", async () => {
  const rows = await database.dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND column_name = 'key_id'`,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(sealedTables).toSorted());
});
