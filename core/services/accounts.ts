import { Account } from "../../db/entities/account.ts";
import { ChannelAccount } from "../../db/entities/channel-account.ts";
import type { Tx } from "../../db/transaction.ts";
import { accountSettings, type AccountSettings } from "../model/account-settings.ts";
import { restChannels } from "../model/channels.ts";
import { insertRow } from "./sql.ts";

/**
 * Makes an account, with a sandbox on every channel until real ones are connected. The caller goes on
 * in it with the id that comes back.
 */
export async function createAccount(
  tx: Tx,
  input: { name: string; timeZone: string; locale: string },
): Promise<number> {
  const times = { createdAt: tx.now, updatedAt: tx.now };
  const accountId = await insertRow(tx, Account, { ...input, settings: {}, ...times });
  for (const channel of restChannels) {
    const sandbox = { externalId: "sandbox", name: "Sandbox", driver: "sandbox" as const };
    await insertRow(tx, ChannelAccount, { accountId, channel, ...sandbox, ...times });
  }
  return accountId;
}

/** What the account has set, with our defaults for the rest. */
export async function getAccountSettings(tx: Tx): Promise<AccountSettings> {
  const account = await tx.manager.findOneByOrFail(Account, { id: tx.actor.accountId });
  return accountSettings.parse(account.settings);
}
