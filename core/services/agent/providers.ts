import { AgentProvider } from "../../../db/entities/agent.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import {
  maxProviders,
  type ProviderCreateBody,
  type ProviderPatchBody,
} from "../../model/agent-setup.ts";
import type { AgentProviderView } from "../../model/views/agent.ts";
import type { SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertRow, lockOwned } from "../sql.ts";
import { lockProfile } from "./profile-rows.ts";

const audit = auditOf("agent_provider");
const hintLength = 4;
/** The end of a shorter key would tell too much of it. */
const minHintedLength = 16;

/** Model providers of the account, in the order in which they serve. */
export async function listProviders(tx: Tx): Promise<AgentProvider[]> {
  return await tx.manager.find(AgentProvider, {
    where: { accountId: tx.actor.accountId },
    order: { position: "ASC", id: "ASC" },
  });
}

/** Adds a provider, after the others unless it has a position. @throws AppError `validation_error` */
export async function createProvider(
  tx: Tx,
  secretBox: SecretBox,
  body: ProviderCreateBody,
): Promise<AgentProvider> {
  await lockProfile(tx);
  const others = await listProviders(tx);
  if (others.length >= maxProviders) {
    const message = `An account has at most ${maxProviders} providers. Delete one first.`;
    throw invalidField("body", "too_many_providers", message);
  }
  const row = tx.manager.create(AgentProvider, {
    accountId: tx.actor.accountId,
    kind: body.kind,
    baseUrl: body.base_url,
    model: body.model,
    sealed: "",
    keyId: "",
    keyHint: "",
    inputPrice: body.input_price,
    outputPrice: body.output_price,
    position: body.position ?? Math.max(-1, ...others.map(({ position }) => position)) + 1,
    failingUntil: null,
    failingSince: null,
    failure: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, AgentProvider, row);
  // The seal is bound to the id, which the row has only now.
  await tx.manager.update(
    AgentProvider,
    row.id,
    Object.assign(row, sealedKey(secretBox, row, body.api_key)),
  );
  await recordAudit(tx, audit("created", row.id, { kind: row.kind, model: row.model }));
  await recordChange(tx, { kind: "agent.updated" });
  return row;
}

/**
 * Changes the fields sent. A changed provider serves again at once. Another kind or address needs
 * the key again, so that a stored key goes only where it was meant to go.
 * @throws AppError `agent_provider_not_found`; `validation_error`
 */
export async function updateProvider(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
  patch: ProviderPatchBody,
): Promise<AgentProvider> {
  const row = await lockOwned(tx, AgentProvider, "agent_provider", { id });
  const changed = {
    kind: patch.kind ?? row.kind,
    baseUrl: patch.base_url === undefined ? row.baseUrl : patch.base_url,
    model: patch.model ?? row.model,
    inputPrice: patch.input_price ?? row.inputPrice,
    outputPrice: patch.output_price ?? row.outputPrice,
    position: patch.position ?? row.position,
  };
  requireKeyFor(row, changed, patch);
  const key = patch.api_key === undefined ? {} : sealedKey(secretBox, row, patch.api_key);
  const serving = { failingUntil: null, failingSince: null, failure: null };
  const columns = { ...changed, ...key, ...serving, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(AgentProvider, id, columns);
  await recordAudit(tx, audit("updated", id, { fields: Object.keys(patch).toSorted() }));
  await recordChange(tx, { kind: "agent.updated" });
  return Object.assign(row, columns);
}

/** @throws AppError `agent_provider_not_found` */
export async function deleteProvider(tx: Tx, id: number): Promise<void> {
  const row = await lockOwned(tx, AgentProvider, "agent_provider", { id });
  await tx.manager.delete(AgentProvider, { id, accountId: row.accountId });
  await recordAudit(tx, audit("deleted", id, { kind: row.kind, model: row.model }));
  await recordChange(tx, { kind: "agent.updated" });
}

/** The API key of a provider. @throws Error where its seal does not fit the row. */
export function openProviderKey(
  secretBox: SecretBox,
  { sealed, accountId, id }: Pick<AgentProvider, "sealed" | "accountId" | "id">,
): string {
  return secretBox.open(sealed, providerContext(accountId, id));
}

/** Context of a sealed API key: it opens for its own provider alone. */
export function providerContext(accountId: number, providerId: number): string {
  return `agent_providers:sealed:${accountId}:${providerId}`;
}

/** A model provider in the Dashboard's API, without its key. */
export function presentProvider(row: AgentProvider): AgentProviderView {
  return {
    id: row.id,
    kind: row.kind,
    base_url: row.baseUrl,
    model: row.model,
    key_hint: row.keyHint,
    input_price: row.inputPrice,
    output_price: row.outputPrice,
    position: row.position,
    failing_until: row.failingUntil?.toISOString() ?? null,
    failure: row.failure,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function sealedKey(secretBox: SecretBox, { accountId, id }: AgentProvider, key: string) {
  const sealed = secretBox.seal(key, providerContext(accountId, id));
  const keyHint = key.length < minHintedLength ? "" : key.slice(-hintLength);
  return { sealed, keyId: secretBox.keyIdOf(sealed), keyHint };
}

function requireKeyFor(
  before: AgentProvider,
  after: Pick<AgentProvider, "kind" | "baseUrl">,
  { api_key: key }: ProviderPatchBody,
): void {
  if (after.kind === "openai_compatible" && after.baseUrl === null) {
    throw invalidField("body.base_url", "required", "Name the address of the server.");
  }
  const stays = after.kind === before.kind && after.baseUrl === before.baseUrl;
  if (stays || key !== undefined) return;
  throw invalidField("body.api_key", "required", "Send the key again for another address or kind.");
}
