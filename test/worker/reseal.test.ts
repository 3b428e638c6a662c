import { Client } from "@temporalio/client";
import type { DataSource } from "typeorm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSecretBox, generateSecretKey, type SecretBox } from "../../core/secrets.ts";
import { eventCatalogue } from "../../core/model/events.ts";
import { createProvider } from "../../core/services/agent/providers.ts";
import { createInboundEndpoint } from "../../core/services/inbound/inbound-endpoints.ts";
import { publish } from "../../core/services/outbox/outbox.ts";
import {
  createSubscription,
  rotateSubscriptionSecret,
  secretContext,
} from "../../core/services/subscriptions/subscriptions.ts";
import { signBody } from "../../core/signature.ts";
import { checkSecretKey } from "../../db/boot-checks.ts";
import type { TemporalLink } from "../../worker/temporal.ts";
import { sealV1 } from "../support/seal-v1.ts";
import { asSystem, createTestAccount } from "../support/accounts.ts";
import { linkCalendar } from "../support/calendars.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startSink, type Sink } from "../support/sink.ts";
import {
  createNamespace,
  installTestRuntime,
  linkTemporal,
  startTestWorker,
} from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const oldKey = generateSecretKey("old");
const newKey = generateSecretKey("new");
const oldBox = createSecretBox(oldKey);
const bothBox = createSecretBox(`${newKey},${oldKey}`);
const newBox = createSecretBox(newKey);

const database = useFixture(createTestDatabase);
let dataSource: DataSource;
let accountId: number;
let sink: Sink;
let namespace: string;
let link: TemporalLink;
/** What the receiver checks signatures with, all the time. */
let secret: string;

beforeAll(async () => {
  ({ dataSource } = database);
  ({ accountId } = await createTestAccount(dataSource));
  sink = await startSink();
  installTestRuntime();
  namespace = await createNamespace();
  link = await linkTemporal(namespace);
  await checkSecretKey(dataSource, oldBox);
  await asSystem(dataSource, accountId, async (tx) => {
    const input = { url: `${sink.url}/hook`, events: ["*" as const] };
    const { row } = await createSubscription(tx, oldBox, input);
    secret = await rotateSubscriptionSecret(tx, oldBox, row.id);
    await createInboundEndpoint(tx, oldBox, "inbound", { name: "e", strict: false });
    await linkCalendar(tx, { resourceId: 1, calendarId: "c", secretBox: oldBox });
    await createProvider(tx, oldBox, {
      kind: "openai",
      base_url: null,
      model: "m",
      api_key: "sk-1",
      input_price: 0,
      output_price: 0,
    });
  });
  // More than one batch.
  await insertV1(oldKey, "old", 250);
});

afterAll(async () => {
  await sink.stop();
  await link.connection.close();
});

/** Secrets of an installation from before each was bound to its row. */
async function insertV1(secretKey: string, keyId: string, count: number): Promise<void> {
  const sealed = sealV1(secretKey, "whsec_AAAA", `subscription_secrets:sealed:${accountId}`);
  await dataSource.query(
    `INSERT INTO subscription_secrets (account_id, subscription_id, sealed, key_id, valid_until)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT ?, 1000 + i, ?, ?, NOW() FROM n`,
    [count, accountId, sealed, keyId],
  );
}

/** Secrets that are bound to no row. */
async function countV1(): Promise<number> {
  const [row] = await dataSource.query<{ n: number }[]>(
    "SELECT COUNT(*) AS n FROM subscription_secrets WHERE sealed LIKE 'v1.%'",
  );
  return Number(row?.n);
}

async function keysInUse(): Promise<string[]> {
  const rows = await dataSource.query<{ key_id: string }[]>(
    `SELECT key_id FROM subscription_secrets UNION SELECT key_id FROM inbound_endpoint_secrets
      UNION SELECT key_id FROM calendar_connections UNION SELECT key_id FROM agent_providers`,
  );
  const [row] = await dataSource.query<{ secret_check: string }[]>(
    "SELECT secret_check FROM installation",
  );
  return [...rows.map(({ key_id }) => key_id), bothBox.keyIdOf(row?.secret_check ?? "")];
}

/** Also by the workflow, whose last step a worker would else be stopped in. */
async function expectResealed(): Promise<void> {
  expect(new Set(await keysInUse())).toEqual(new Set(["new"]));
  expect(await countV1()).toBe(0);
  const { status } = await new Client(link).workflow.getHandle("reseal-new").describe();
  expect(status.name).toBe("COMPLETED");
}

/** Runs a worker with these keys until it has delivered five events and `until` holds. */
async function deliverWith(secretBox: SecretBox, until: () => Promise<unknown>): Promise<void> {
  sink.posts.length = 0;
  const worker = await startTestWorker(database, namespace, { secretBox });
  try {
    for (let count = 0; count < 5; count += 1) {
      await asSystem(dataSource, accountId, (tx) =>
        publish(tx, "contact.created", eventCatalogue["contact.created"].sample),
      );
    }
    await eventually(() => expect(sink.posts.length).toBeGreaterThanOrEqual(5));
    await eventually(until);
  } finally {
    await worker.stop();
  }
  for (const { headers, body } of sink.posts) {
    expect(headers["x-service-signature"]).toBe(signBody(secret, body));
  }
}

test("a new first key takes over all that is stored, signatures stay, and the old key can go", async () => {
  expect(new Set(await keysInUse())).toEqual(new Set(["old"]));
  await expect(checkSecretKey(dataSource, newBox)).rejects.toThrow(/SECRET_KEY is not the key/);

  await checkSecretKey(dataSource, bothBox);
  await deliverWith(bothBox, async () => await expectResealed());

  await checkSecretKey(dataSource, newBox);
  await deliverWith(newBox, async () => await Promise.resolve());
  await expect(checkSecretKey(dataSource, oldBox)).rejects.toThrow(/SECRET_KEY is not the key/);
}, 90_000);

test("a key that one stored secret still needs cannot be dropped", async () => {
  await asSystem(dataSource, accountId, (tx) =>
    createInboundEndpoint(tx, oldBox, "inbound", { name: "late", strict: false }),
  );
  await expect(checkSecretKey(dataSource, newBox)).rejects.toThrow(/lacks the key "old"/);
  await deliverWith(bothBox, async () => await expectResealed());
  await checkSecretKey(dataSource, newBox);
}, 90_000);

test("secrets that are bound to no row are sealed anew without a change of the key", async () => {
  await insertV1(newKey, "new", 3);
  await deliverWith(newBox, async () => await expectResealed());
  const [row] = await dataSource.query<{ sealed: string }[]>(
    "SELECT sealed FROM subscription_secrets WHERE subscription_id = 1001 ORDER BY id DESC LIMIT 1",
  );
  const sealed = String(row?.sealed);
  expect(newBox.open(sealed, secretContext(accountId, 1001))).toBe("whsec_AAAA");
}, 90_000);
