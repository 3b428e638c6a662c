import { isDeepStrictEqual } from "node:util";
import { In, IsNull } from "typeorm";
import { AgentProvider, AgentVersion, type AgentProfile } from "../../../db/entities/agent.ts";
import { KnowledgeGap, KnowledgeItem } from "../../../db/entities/knowledge.ts";
import { PipelineStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { agentSettings, type AgentSettings } from "../../model/agent.ts";
import type { AgentPatchBody } from "../../model/agent-setup.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { AgentVersionView, AgentView } from "../../model/views/agent.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { findPage, getOwned } from "../sql.ts";
import { countCases } from "./draft-digest.ts";
import {
  defaultSettings,
  findProfile,
  insertVersion,
  lockDraft,
  storeProfile,
} from "./profile-rows.ts";

/**
 * Switches the agent, and changes its draft by the settings sent. The agent goes on with the
 * published settings until the draft is published.
 * @throws AppError `validation_error` with `unknown_stage`; `draft_changed`.
 */
export async function updateAgent(
  tx: Tx,
  { enabled, version, ...patch }: AgentPatchBody,
): Promise<AgentProfile> {
  await requireStages(tx, patch.allowed_stage_ids ?? []);
  const row = await lockDraft(tx, version);
  const draft = agentSettings.parse({ ...row.draft, ...patch });
  const isSwitched = enabled !== undefined && enabled !== row.enabled;
  const fields = Object.keys(patch).filter((name) => {
    return !isDeepStrictEqual(Reflect.get(draft, name), Reflect.get(row.draft, name));
  });
  if (!isSwitched && fields.length === 0) return row;
  await storeProfile(tx, row, { enabled: enabled ?? row.enabled, draft });
  if (isSwitched) await record(tx, row, enabled ? "enabled" : "disabled", {});
  if (fields.length > 0) await record(tx, row, "updated", { fields: fields.toSorted() });
  return row;
}

/**
 * Publishes the draft as a new version. Does nothing where the draft is published already.
 * @throws AppError `draft_changed`
 */
export async function publishAgent(tx: Tx, version?: number): Promise<AgentProfile> {
  const row = await lockDraft(tx, version);
  if (isDeepStrictEqual(await readPublished(tx, row), row.draft)) return row;
  const number = (await countVersions(tx)) + 1;
  await insertVersion(tx, number, row.draft);
  await storeProfile(tx, row, { publishedNumber: number });
  await record(tx, row, "published", { number });
  return row;
}

/**
 * Puts the settings of a version into the draft.
 * @throws AppError `agent_version_not_found`; `draft_changed`
 */
export async function restoreVersion(tx: Tx, id: number, version?: number): Promise<AgentProfile> {
  const restored = await getOwned(tx, AgentVersion, "agent_version", { id });
  const row = await lockDraft(tx, version);
  await storeProfile(tx, row, { draft: agentSettings.parse(restored.settings) });
  await record(tx, row, "restored", { number: restored.number });
  return row;
}

/** The versions of the agent, newest first. */
export async function listVersions(tx: Tx, page: PageBounds): Promise<Page<AgentVersion>> {
  return await findPage(tx, AgentVersion, page, {
    where: { accountId: tx.actor.accountId },
    order: { number: "DESC" },
  });
}

/** The agent in the Dashboard's API; the defaults where it was never set up. */
export async function presentAgent(tx: Tx): Promise<AgentView> {
  const row = await findProfile(tx);
  const draft = row?.draft ?? defaultSettings();
  const published = row === null ? draft : await readPublished(tx, row);
  const { accountId } = tx.actor;
  return {
    enabled: row?.enabled ?? false,
    draft,
    version: row?.version ?? 0,
    published,
    published_number: row?.publishedNumber ?? 0,
    differs: !isDeepStrictEqual(draft, published),
    versions: await countVersions(tx),
    providers: await tx.manager.countBy(AgentProvider, { accountId }),
    knowledge_items: await tx.manager.countBy(KnowledgeItem, { accountId, state: "approved" }),
    cases: await countCases(tx, draft),
    open_gaps: await tx.manager.countBy(KnowledgeGap, { accountId, resolvedAt: IsNull() }),
  };
}

/** A version in the Dashboard's API. */
export function presentVersion(row: AgentVersion): AgentVersionView {
  return {
    id: row.id,
    number: row.number,
    settings: agentSettings.parse(row.settings),
    published_by_user_id: row.publishedByUserId,
    created_at: row.createdAt.toISOString(),
  };
}

async function readPublished(
  tx: Tx,
  { accountId, publishedNumber: number }: AgentProfile,
): Promise<AgentSettings> {
  const version = await tx.manager.findOneByOrFail(AgentVersion, { accountId, number });
  return agentSettings.parse(version.settings);
}

async function countVersions(tx: Tx): Promise<number> {
  return await tx.manager.countBy(AgentVersion, { accountId: tx.actor.accountId });
}

async function requireStages(tx: Tx, ids: number[]): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const { accountId } = tx.actor;
  const known = await tx.manager.countBy(PipelineStage, { accountId, id: In(wanted) });
  if (known === wanted.length) return;
  throw invalidField("body.allowed_stage_ids", "unknown_stage", "Name stages of this account.");
}

async function record(
  tx: Tx,
  row: AgentProfile,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, {
    action: `agent.${action}`,
    targetType: "agent",
    targetId: row.id,
    details,
  });
  await recordChange(tx, { kind: "agent.updated" });
}
