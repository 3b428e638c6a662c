import { IsNull } from "typeorm";
import { InboundEndpoint } from "../../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../../db/transaction.ts";
import type {
  EndpointKind,
  InboundEndpointCreateBody,
  InboundEndpointPatchBody,
} from "../../model/inbound.ts";
import { generateSigningSecret, randomBase62, type SecretBox } from "../../secrets.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { actingUserId } from "../accounts/actor.ts";
import { recordAudit } from "../accounts/audit.ts";
import { requireRoom } from "../accounts/require-room.ts";
import {
  findOldSecretEnds,
  insertSigningSecret,
  rotateSigningSecret,
  type SecretTable,
} from "../subscriptions/signing-secrets.ts";
import { findPage, getOwned, insertRow, lockOwned } from "../sql.ts";

/** Maximum number of endpoints of one kind in an account. */
const maxEndpoints = 20;
const limit = {
  max: maxEndpoints,
  code: "too_many_endpoints",
  message: `An account has at most ${maxEndpoints} of these. Delete one first.`,
};
const slugLength = 26;

/** A called endpoint, with its sealed secrets that are valid now, newest first. */
export interface CalledEndpoint {
  accountId: number;
  endpointId: number;
  strict: boolean;
  sealedSecrets: string[];
}

/**
 * The enabled endpoint of this kind behind a URL. Null if it is unknown, deleted or disabled, or
 * its account is disabled.
 */
export async function findInboundEndpoint(
  tx: Tx,
  kind: EndpointKind,
  slug: string,
): Promise<CalledEndpoint | null> {
  const rows = await tx.manager.query<
    { id: number; account_id: number; strict: number; sealed: string }[]
  >(
    `SELECT e.id, e.account_id, e.strict, s.sealed
       FROM inbound_endpoints e
       JOIN accounts a ON a.id = e.account_id
       JOIN inbound_endpoint_secrets s ON s.endpoint_id = e.id
      WHERE e.slug = ? AND e.kind = ? AND e.enabled
        AND e.deleted_at IS NULL AND a.disabled_at IS NULL
        AND (s.valid_until IS NULL OR s.valid_until > ?)
      ORDER BY s.id DESC`,
    [slug, kind, tx.now],
  );
  const [first] = rows;
  if (first === undefined) return null;
  return {
    accountId: first.account_id,
    endpointId: first.id,
    strict: first.strict === 1,
    sealedSecrets: rows.map(({ sealed }) => sealed),
  };
}

/** True if an endpoint has this slug, even one that takes no calls now. */
export async function isInboundSlug(tx: Tx, slug: string): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>("SELECT 1 FROM inbound_endpoints WHERE slug = ?", [
    slug,
  ]);
  return rows.length > 0;
}

/** The account's inbound endpoints, newest first, and their total. */
export async function listInboundEndpoints(
  tx: Tx,
  kind: EndpointKind,
  page: PageBounds,
): Promise<Page<InboundEndpoint>> {
  return await findPage(tx, InboundEndpoint, page, {
    where: { accountId: tx.actor.accountId, kind, deletedAt: IsNull() },
    order: { id: "DESC" },
  });
}

/** @throws AppError `endpoint_not_found` */
export async function getInboundEndpoint(
  tx: Tx,
  kind: EndpointKind,
  id: number,
): Promise<InboundEndpoint> {
  return await getOwned(tx, InboundEndpoint, "endpoint", { id, kind, deletedAt: IsNull() });
}

/**
 * Creates an inbound endpoint with a URL and a secret of its own.
 * @returns the row and the secret, which is shown this once.
 * @throws AppError `validation_error` for the 21st endpoint.
 */
export async function createInboundEndpoint(
  tx: Tx,
  secretBox: SecretBox,
  kind: EndpointKind,
  { name, strict }: InboundEndpointCreateBody,
): Promise<{ row: InboundEndpoint; secret: string }> {
  await requireRoom(tx, InboundEndpoint, { kind, deletedAt: IsNull() }, limit);
  const row = tx.manager.create(InboundEndpoint, {
    accountId: tx.actor.accountId,
    kind,
    name,
    slug: randomBase62(slugLength),
    strict,
    enabled: true,
    createdByUserId: actingUserId(tx.actor),
    deletedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, InboundEndpoint, row);
  const secret = await insertSigningSecret(tx, secretBox, secrets, row.id);
  await recordAudit(tx, audit(row, "created", { name, strict }));
  return { row, secret };
}

/** Changes the fields sent, from the next call on. Equal values change nothing. */
export async function updateInboundEndpoint(
  tx: Tx,
  kind: EndpointKind,
  id: number,
  patch: InboundEndpointPatchBody,
): Promise<InboundEndpoint> {
  const row = await lockInboundEndpoint(tx, kind, id);
  const { name = row.name, strict = row.strict, enabled = row.enabled } = patch;
  if (name === row.name && strict === row.strict && enabled === row.enabled) return row;
  const changed = { name, strict, enabled, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(InboundEndpoint, id, changed);
  await recordAudit(tx, audit(row, "updated", { fields: Object.keys(patch).toSorted() }));
  return Object.assign(row, changed);
}

/** Deletes an endpoint: its URL answers 404 from now on. Its log stays until it is purged. */
export async function deleteInboundEndpoint(tx: Tx, kind: EndpointKind, id: number): Promise<void> {
  const row = await lockInboundEndpoint(tx, kind, id);
  const deleted = { deletedAt: tx.now, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(InboundEndpoint, id, deleted);
  await recordAudit(tx, audit(row, "deleted", { name: row.name }));
}

/**
 * Gives an endpoint a new secret. The old secret is accepted for 24 hours more (rule C67); any
 * older one ends now. So two rotations end a secret that has leaked.
 */
export async function rotateInboundSecret(
  tx: Tx,
  secretBox: SecretBox,
  kind: EndpointKind,
  id: number,
): Promise<string> {
  const row = await lockInboundEndpoint(tx, kind, id);
  const secret = await rotateSigningSecret(tx, secretBox, secrets, row.id);
  await recordAudit(tx, audit(row, "secret_rotated", {}));
  return secret;
}

/** End time of the secret before a rotation, by the id of its endpoint. */
export async function findOldInboundSecretEnds(
  tx: Tx,
  endpointIds: number[],
): Promise<Map<number, Date>> {
  return await findOldSecretEnds(tx, secrets, endpointIds);
}

/** Context of a sealed secret: it opens for its own endpoint alone. */
export function inboundSecretContext(accountId: number, endpointId: number): string {
  return `inbound_endpoint_secrets:sealed:${accountId}:${endpointId}`;
}

const secrets: SecretTable = {
  name: "inbound_endpoint_secrets",
  owner: "endpoint_id",
  contextOf: inboundSecretContext,
  generate: generateSigningSecret,
};

async function lockInboundEndpoint(
  tx: Tx,
  kind: EndpointKind,
  id: number,
): Promise<InboundEndpoint> {
  return await lockOwned(tx, InboundEndpoint, "endpoint", { id, kind, deletedAt: IsNull() });
}

const targetTypes = { inbound: "inbound_endpoint", voice: "voice_integration" } as const;

function audit(
  { id, kind }: Pick<InboundEndpoint, "id" | "kind">,
  action: string,
  details: Record<string, unknown>,
) {
  const targetType = targetTypes[kind];
  return { action: `${targetType}.${action}`, targetType, targetId: id, details };
}
