import { AgentProfile, AgentVersion } from "../../../db/entities/agent.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { agentSettings, type AgentSettings } from "../../model/agent.ts";
import { actingUserId } from "../accounts/actor.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** The settings of an agent that was never set up. */
export function defaultSettings(): AgentSettings {
  return agentSettings.parse({});
}

/** The profile of the account; null before it was set up. */
export async function findProfile(tx: Tx): Promise<AgentProfile | null> {
  const row = await tx.manager.findOneBy(AgentProfile, { accountId: tx.actor.accountId });
  return row === null ? null : withDefaults(row);
}

/**
 * The profile of the account, locked. A missing one is created with the default settings, which
 * are published as version 1. So an agent that is switched on answers at once.
 * @throws WriteConflict where another transaction has just created it.
 */
export async function lockProfile(tx: Tx): Promise<AgentProfile> {
  const known = await tx.manager.findOne(AgentProfile, {
    where: { accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  if (known !== null) return withDefaults(known);
  const row = tx.manager.create(AgentProfile, {
    accountId: tx.actor.accountId,
    enabled: false,
    draft: defaultSettings(),
    publishedNumber: 1,
    createdAt: tx.now,
    updatedAt: tx.now,
    // The version that a caller reads before there is a profile.
    version: 0,
  });
  row.id = await insertOrLose(() => insertRow(tx, AgentProfile, row));
  await insertVersion(tx, 1, row.draft);
  return row;
}

/**
 * The profile of the account, locked, where its draft is still the one that the caller has read.
 * @throws AppError `draft_changed`. @throws WriteConflict as `lockProfile` does.
 */
export async function lockDraft(tx: Tx, version: number | undefined): Promise<AgentProfile> {
  const row = await lockProfile(tx);
  if (version !== undefined && version !== row.version) throw new AppError("draft_changed");
  return row;
}

/** Stores changes of a locked profile. */
export async function storeProfile(
  tx: Tx,
  row: AgentProfile,
  changes: Partial<Pick<AgentProfile, "enabled" | "draft" | "publishedNumber">>,
): Promise<void> {
  const columns = { ...changes, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(AgentProfile, row.id, columns);
  Object.assign(row, columns);
}

/** Adds a version. Versions are numbered under the lock of the profile. */
export async function insertVersion(
  tx: Tx,
  number: number,
  settings: AgentSettings,
): Promise<void> {
  await insertRow(tx, AgentVersion, {
    accountId: tx.actor.accountId,
    number,
    settings,
    publishedByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
  });
}

/** A stored draft may lack settings that a newer program knows. */
function withDefaults(row: AgentProfile): AgentProfile {
  return Object.assign(row, { draft: agentSettings.parse(row.draft) });
}
