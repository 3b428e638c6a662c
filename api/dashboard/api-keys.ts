import { z } from "zod";
import { invalidField } from "../../core/errors.ts";
import { scopes } from "../../core/model/principal.ts";
import { listMeta, pageParameters, timestamp, toWellFormed } from "../../core/model/wire.ts";
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type IssuedApiKey,
} from "../../core/services/accounts/api-keys.ts";
import type { ApiKey } from "../../db/entities/api-key.ts";
import { route } from "../http/route.ts";
import { admin } from "./access.ts";
import { apiKeyView, apiKeyWithKey } from "../../core/model/views/dashboard.ts";
import { hourMs } from "../../core/model/durations.ts";

const noun = "api_key";
const tag = "API keys";

/** Keys of API v1, for admins. */
export const apiKeyRoutes = [
  route({
    method: "GET",
    path: "/api-keys",
    access: admin,
    tag,
    summary: "List API keys, newest first",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(apiKeyView), meta: listMeta } },
    run: async (tx, { query }) => {
      const [rows, total] = await listApiKeys(tx, query);
      return { data: rows.map(present), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/api-keys",
    access: admin,
    tag,
    summary: "Make an API key; the key itself is in this answer alone",
    body: z.strictObject({
      name: z.string().trim().min(1).max(200).overwrite(toWellFormed),
      scopes: z
        .array(z.enum(scopes))
        .min(1)
        .overwrite((list) => [...new Set(list)]),
      expires_at: timestamp.nullable().optional(),
    }),
    successes: { 201: { description: "Made.", data: apiKeyWithKey } },
    run: async (tx, { body }) => {
      const expiresAt = typeof body.expires_at === "string" ? new Date(body.expires_at) : null;
      if (expiresAt !== null && expiresAt <= tx.now) {
        throw invalidField("body.expires_at", "in_the_past", "Choose a moment in the future.");
      }
      const { name, scopes: granted } = body;
      return { data: presentIssued(await createApiKey(tx, { name, scopes: granted, expiresAt })) };
    },
  }),
  route({
    method: "POST",
    path: "/api-keys/:id/rotate",
    access: admin,
    tag,
    noun,
    summary: "Make a successor; the old key goes on for a while, 24 hours unless you say otherwise",
    body: z.strictObject({ overlap_hours: z.int().min(0).max(168).default(24) }),
    successes: { 201: { description: "The successor.", data: apiKeyWithKey } },
    errors: ["api_key_expired", "api_key_revoked", "api_key_rotated"],
    run: async (tx, { id, body }) => ({
      data: presentIssued(await rotateApiKey(tx, id, body.overlap_hours * hourMs)),
    }),
  }),
  route({
    method: "POST",
    path: "/api-keys/:id/revoke",
    access: admin,
    tag,
    noun,
    summary: "End an API key for good; it is refused everywhere within a second",
    successes: { 200: { description: "Revoked.", data: apiKeyView } },
    run: async (tx, { id }) => ({ data: present(await revokeApiKey(tx, id)) }),
  }),
];

function present(row: ApiKey) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    last_four: row.lastFour,
    expires_at: row.expiresAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    replaces_id: row.replacesId,
    created_at: row.createdAt.toISOString(),
  };
}

function presentIssued({ row, key }: IssuedApiKey) {
  return { ...present(row), key };
}
