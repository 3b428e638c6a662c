import { invalidField } from "../../core/errors.ts";
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type IssuedApiKey,
} from "../../core/services/accounts/api-keys.ts";
import type { ApiKey } from "../../db/entities/api-key.ts";
import { admin } from "./access.ts";
import { hourMs } from "../../core/model/durations.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "api_key";
const tag = "API keys";

/** Keys of API v1, for admins. */
export const apiKeyRoutes = [
  dashboardRoute("GET /api-keys", {
    access: admin,
    tag,
    summary: "List API keys, newest first",
    run: async (tx, { query }) => {
      const page = await listApiKeys(tx, query);
      return { data: page.rows.map(present), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /api-keys", {
    access: admin,
    tag,
    summary: "Make an API key; the key itself is in this answer alone",
    run: async (tx, { body }) => {
      const expiresAt = typeof body.expires_at === "string" ? new Date(body.expires_at) : null;
      if (expiresAt !== null && expiresAt <= tx.now) {
        throw invalidField("body.expires_at", "in_the_past", "Choose a moment in the future.");
      }
      const { name, scopes: granted } = body;
      return { data: presentIssued(await createApiKey(tx, { name, scopes: granted, expiresAt })) };
    },
  }),
  dashboardRoute("POST /api-keys/:id/rotate", {
    access: admin,
    tag,
    noun,
    summary: "Make a successor; the old key goes on for a while, 24 hours unless you say otherwise",
    errors: ["api_key_expired", "api_key_revoked", "api_key_rotated"],
    run: async (tx, { id, body }) => ({
      data: presentIssued(await rotateApiKey(tx, id, body.overlap_hours * hourMs)),
    }),
  }),
  dashboardRoute("POST /api-keys/:id/revoke", {
    access: admin,
    tag,
    noun,
    summary: "End an API key for good; it is refused everywhere within a second",
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
