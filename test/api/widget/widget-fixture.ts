import { randomBytes } from "node:crypto";
import { hashToken, randomBase62 } from "../../../core/secrets.ts";
import { widgetSettings } from "../../../core/model/widget.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { insertRow, type ApiFixture } from "../api-fixture.ts";

type Servers = Pick<ApiFixture, "database">;

/** A widget of a test, in an account of its own. */
export interface TestWidget {
  account: TestAccount;
  channelAccountId: number;
  widgetId: number;
  key: string;
}

/** Adds a widget, straight into the tables. */
export async function createTestWidget(fixture: Servers): Promise<TestWidget> {
  const account = await createTestAccount(fixture.database.dataSource);
  const { accountId } = account;
  const key = randomBase62(26);
  const channelAccountId = await insertRow(fixture, "channel_accounts", {
    account_id: accountId,
    channel: "web",
    external_id: key,
    driver: "web",
    name: "Shop",
    bot_default: 1,
  });
  const widgetId = await insertRow(fixture, "widgets", {
    account_id: accountId,
    channel_account_id: channelAccountId,
    public_key: key,
    allowed_origins: "[]",
    settings: JSON.stringify(widgetSettings.parse({})),
  });
  return { account, channelAccountId, widgetId, key };
}

/** Adds a session of a visitor, straight into the table. @returns its bearer token. */
export async function insertSession(
  fixture: Servers,
  { account, channelAccountId, widgetId }: TestWidget,
  expiresAt = new Date(Date.now() + 60_000),
): Promise<string> {
  const token = randomBase62(43);
  await insertRow(fixture, "widget_sessions", {
    account_id: account.accountId,
    widget_id: widgetId,
    channel_account_id: channelAccountId,
    visitor_id: `v_${randomBytes(11).toString("hex")}`,
    token_hash: hashToken(token),
    expires_at: expiresAt,
    locale: "en",
    last_seen_at: new Date(),
  });
  return token;
}
