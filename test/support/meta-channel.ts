import type { DataSource } from "typeorm";
import { channelOfDriver } from "../../core/model/channels.ts";
import { saveChannelApp } from "../../core/services/channels/channel-apps.ts";
import { channelTokenContext } from "../../core/services/channels/channel-tokens.ts";
import type { MetaAccount, MetaApp } from "../../dev/stand-in/meta-accounts.ts";
import {
  startMetaStandIn,
  type MetaStandIn,
  type MetaStandInOptions,
} from "../../dev/stand-in/meta-server.ts";
import { asSystem, testSecretBox } from "./accounts.ts";

/** Connected channels of an account, and the stand-in that plays their networks. */
export interface MetaChannels {
  standIn: MetaStandIn;
  /** Ids of the channel accounts, in the order of the accounts at Meta. */
  ids: number[];
}

let count = 0;

/**
 * Connects accounts of Meta without a call of the network, and starts the stand-in for them. Its
 * webhooks go to the API at `apiUrl`.
 * @param options of the stand-in, in place of the usual ones
 */
export async function startMetaChannels(
  dataSource: DataSource,
  apiUrl: string,
  accountId: number,
  accounts: readonly MetaAccount[],
  options: Partial<MetaStandInOptions> = {},
): Promise<MetaChannels> {
  const app = { id: `88${(count += 1)}`, secret: `app-secret-${count}` };
  const { ids, callback } = await connect(dataSource, accountId, app, accounts);
  const standIn = await startMetaStandIn({
    app,
    callback: { ...callback, url: `${apiUrl}${callback.url}` },
    accounts,
    statusMs: 1,
    retryMs: 20,
    ...options,
  });
  return { standIn, ids };
}

async function connect(
  dataSource: DataSource,
  accountId: number,
  app: MetaApp,
  accounts: readonly MetaAccount[],
) {
  return await asSystem(dataSource, accountId, async (tx) => {
    const body = { app_id: app.id, app_secret: app.secret };
    const { row, verifyToken } = await saveChannelApp(tx, testSecretBox, body);
    const ids: number[] = [];
    for (const { driver, id, parentId, token } of accounts) {
      const { insertId } = await tx.manager.query<{ insertId: number }>(
        `INSERT INTO channel_accounts SET account_id = ?, channel = ?, external_id = ?,
            name = 'Test', driver = ?, channel_app_id = ?, parent_id = ?`,
        [accountId, channelOfDriver[driver], id, driver, row.id, parentId],
      );
      const sealed = testSecretBox.seal(token, channelTokenContext(accountId, insertId));
      await tx.manager.query(
        `INSERT INTO channel_account_tokens SET account_id = ?, channel_account_id = ?,
            sealed = ?, key_id = ?`,
        [accountId, insertId, sealed, testSecretBox.keyIdOf(sealed)],
      );
      ids.push(insertId);
    }
    return { ids, callback: { url: `/api/channels/meta/${row.slug}`, verifyToken } };
  });
}
