import { isDeepStrictEqual } from "node:util";
import { Account } from "../../../db/entities/account.ts";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { PipelineStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { AccountPatchBody, AccountView } from "../../model/account.ts";
import { accountSettings, type AccountSettings } from "../../model/account-settings.ts";
import { restChannels } from "../../model/channels.ts";
import { recordAudit } from "./audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertRow } from "../sql.ts";

/**
 * Creates an account, with a sandbox on every channel until real channels are connected.
 * @returns the id of the account, which the caller acts in from then on.
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

/** The account that the caller works in. */
export async function getAccount(tx: Tx): Promise<Account> {
  return await tx.manager.findOneByOrFail(Account, { id: tx.actor.accountId });
}

/** Locks the row of the account. Changes that take this lock run one after the other. */
export async function lockAccount(tx: Tx): Promise<void> {
  await tx.manager.query("SELECT id FROM accounts WHERE id = ? FOR UPDATE", [tx.actor.accountId]);
}

/**
 * Changes the account. A handoff under way keeps the times with which it began.
 * @throws AppError `validation_error` with `unknown_stage`.
 */
export async function updateAccount(tx: Tx, patch: AccountPatchBody): Promise<Account> {
  const row = await tx.manager.findOneOrFail(Account, {
    where: { id: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  await requireStage(tx, patch.settings?.booking_stage_id ?? null);
  const { name, timeZone, locale, settings } = row;
  const before = { name, time_zone: timeZone, locale, settings };
  const after = {
    name: patch.name ?? name,
    time_zone: patch.time_zone ?? timeZone,
    locale: patch.locale ?? locale,
    settings: { ...settings, ...patch.settings },
  };
  if (isDeepStrictEqual(after, before)) return row;
  const { time_zone: newZone, ...others } = after;
  const version = row.version + 1;
  Object.assign(row, { ...others, timeZone: newZone, updatedAt: tx.now, version });
  await tx.manager.query(
    `UPDATE accounts SET name = ?, time_zone = ?, locale = ?, settings = ?, updated_at = ?, version = ?
      WHERE id = ?`,
    [row.name, row.timeZone, row.locale, JSON.stringify(row.settings), tx.now, row.version, row.id],
  );
  await recordAudit(tx, {
    action: "account.updated",
    targetType: "account",
    targetId: row.id,
    details: { before: changedIn(before, after), after: changedIn(after, before) },
  });
  await recordChange(tx, { kind: "account.updated" });
  return row;
}

/** The caller holds the lock of the account's row, and stages are deleted under the same lock. */
async function requireStage(tx: Tx, id: number | null): Promise<void> {
  if (id === null) return;
  if (await tx.manager.existsBy(PipelineStage, { id, accountId: tx.actor.accountId })) return;
  const path = "body.settings.booking_stage_id";
  throw invalidField(path, "unknown_stage", "Name a stage of this account, or null.");
}

/** The account in an answer, with defaults for absent settings. */
export function presentAccount(row: Account): AccountView {
  return {
    id: row.id,
    name: row.name,
    time_zone: row.timeZone,
    locale: row.locale,
    settings: accountSettings.parse(row.settings),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function changedIn(one: Record<string, unknown>, other: Record<string, unknown>) {
  const changed = Object.entries(one).filter(([key, value]) => {
    return !isDeepStrictEqual(value, other[key]);
  });
  return Object.fromEntries(changed);
}

/** The settings of the account, with defaults for absent ones. */
export async function getAccountSettings(tx: Tx): Promise<AccountSettings> {
  return accountSettings.parse((await getAccount(tx)).settings);
}

/** The company of an account, as its customers see it. */
export interface Company {
  name: string;
  /** As `#0d6e68`; null: the accent of Parley. */
  accent: string | null;
  address: string | null;
}

/** The company of an account. @param row with the stored settings */
export function companyOf({ name, settings }: { name: string; settings: unknown }): Company {
  const own = accountSettings.parse(settings);
  return {
    name: own.booking_name ?? name,
    accent: own.booking_accent,
    address: own.booking_address,
  };
}
