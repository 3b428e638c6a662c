import { scopes } from "../../core/model/principal.ts";
import type { SubscriptionCreateBody } from "../../core/model/subscription.ts";
import { createSecretBox } from "../../core/secrets.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { createApiKey } from "../../core/services/accounts/api-keys.ts";
import { createInboundEndpoint } from "../../core/services/inbound/inbound-endpoints.ts";
import { createSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { SubscriptionLine } from "./ledger.ts";

/** A subscription to create. All receivers are paths of the one sink. */
export interface WantedSubscription {
  /** Index of the account, from 0. */
  account: number;
  name: string;
  events: SubscriptionCreateBody["events"];
  /** The troubled host, or a name that resolves to the sink, instead of the usual host. */
  host?: "troubled" | `${string}.test`;
}

/** An account with the credentials that a caller needs. */
export interface CallingAccount {
  accountId: number;
  apiKey: string;
  inbound: { slug: string; secret: string };
}

/** Input for new accounts. */
export interface SeedOptions {
  databaseUrl: string;
  secretKey: string;
  origins: { usual: string; troubled: string };
  /** Port of the sink itself. */
  port: number;
  count: number;
  wanted: readonly WantedSubscription[];
}

/** Creates the schema, the accounts and their subscriptions. */
export async function seedAccounts(options: SeedOptions): Promise<{
  accounts: CallingAccount[];
  subscriptions: SubscriptionLine[];
}> {
  const { databaseUrl, secretKey, count, wanted } = options;
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 2 }).initialize();
  const box = createSecretBox(secretKey);
  try {
    await migrate(dataSource);
    const accounts: CallingAccount[] = [];
    const subscriptions: SubscriptionLine[] = [];
    for (let index = 0; index < count; index += 1) {
      const accountId = await transaction(dataSource, systemOf(), (tx) =>
        createAccount(tx, { name: `Account ${index}`, timeZone: "UTC", locale: "en" }),
      );
      await transaction(dataSource, systemOf(accountId), async (tx) => {
        const key = { name: "faults", scopes: [...scopes], expiresAt: null };
        const { key: apiKey } = await createApiKey(tx, key);
        const { row, secret } = await createInboundEndpoint(tx, box, "inbound", {
          name: "in",
          strict: false,
        });
        accounts.push({ accountId, apiKey, inbound: { slug: row.slug, secret } });
        for (const { name, events, host } of wanted.filter(({ account }) => account === index)) {
          const path = `/${accountId}/${name}`;
          const url = `${originOf(options, host)}${path}`;
          const made = await createSubscription(tx, box, { url, events });
          subscriptions.push({ id: made.row.id, accountId, path, secret: made.secret, events });
        }
      });
    }
    return { accounts, subscriptions };
  } finally {
    await dataSource.destroy();
  }
}

function originOf({ origins, port }: SeedOptions, host: WantedSubscription["host"]): string {
  if (host === undefined) return origins.usual;
  return host === "troubled" ? origins.troubled : `http://${host}:${port}`;
}
