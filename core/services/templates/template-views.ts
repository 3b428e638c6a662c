import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import {
  ChannelTemplate,
  type ChannelTemplateSync,
} from "../../../db/entities/channel-template.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Page } from "../../model/page.ts";
import type {
  TemplateListQuery,
  TemplateSyncView,
  TemplateView,
} from "../../model/template-list.ts";
import { listSlots } from "../../model/template.ts";
import { isAdmin } from "../accounts/actor.ts";
import { escapeLike, getOwned } from "../sql.ts";
import { findSync, wabaOf } from "./template-syncs.ts";
import { definitionOf } from "./templates.ts";

/**
 * Templates of a channel, by name and language: those that can be sent, or all of them for admins.
 * Templates that Meta no longer lists are left out.
 * @throws AppError `channel_account_not_found`, `conversation_not_found`, `forbidden_role`
 */
export async function listTemplates(
  tx: Tx,
  query: TemplateListQuery,
): Promise<{ page: Page<TemplateView>; sync: TemplateSyncView }> {
  const { state, search, limit, offset } = query;
  if (state === "all" && !isAdmin(tx.actor)) throw new AppError("forbidden_role");
  const wabaId = wabaOf(await findChannel(tx, query));
  if (wabaId === null) {
    const page = { rows: [], total: 0, totalAtLeast: false };
    return { page, sync: { state: "none", synced_at: null, failure: null } };
  }
  const templates = tx.manager
    .createQueryBuilder(ChannelTemplate, "t")
    .where("t.account_id = :accountId AND t.waba_id = :wabaId AND t.gone_at IS NULL", {
      accountId: tx.actor.accountId,
      wabaId,
    });
  if (state === "approved") templates.andWhere("t.status = 'approved'");
  if (search !== undefined) {
    templates.andWhere("t.words LIKE :part", { part: `%${escapeLike(search)}%` });
  }
  const [rows, total] = await templates
    .orderBy({ "t.name": "ASC", "t.language": "ASC" })
    .limit(limit)
    .offset(offset)
    .getManyAndCount();
  const page = { rows: rows.map(presentTemplate), total, totalAtLeast: false };
  return { page, sync: presentSync(await findSync(tx, wabaId)) };
}

async function findChannel(
  tx: Tx,
  { channel_account_id: given, conversation_id: conversationId }: TemplateListQuery,
): Promise<ChannelAccount> {
  const id =
    conversationId === undefined
      ? given
      : (await getOwned(tx, Conversation, "conversation", { id: conversationId })).channelAccountId;
  return await getOwned(tx, ChannelAccount, "channel_account", { id: id ?? 0 });
}

/** View of a template. */
export function presentTemplate(row: ChannelTemplate): TemplateView {
  const definition = definitionOf(row);
  const { header, body, footer, buttons, unsupported } = definition;
  return {
    id: row.id,
    name: row.name,
    language: row.language,
    category: row.category,
    status: row.status,
    quality: row.quality,
    rejected_reason: row.rejectedReason,
    usable: row.status === "approved" && unsupported === null,
    unsupported,
    header: header && { kind: header.kind, text: header.kind === "text" ? header.text : null },
    body,
    footer,
    buttons: buttons.map(({ text, url }) => ({ text, url })),
    placeholders: listSlots(definition),
    synced_at: row.syncedAt.toISOString(),
  };
}

/** View of the reads of a list. */
export function presentSync(row: ChannelTemplateSync | null): TemplateSyncView {
  if (row === null) return { state: "reading", synced_at: null, failure: null };
  return {
    state: stateOf(row),
    synced_at: row.syncedAt?.toISOString() ?? null,
    failure: row.failure,
  };
}

function stateOf({
  requestedAt,
  syncedAt,
  failure,
}: ChannelTemplateSync): TemplateSyncView["state"] {
  if (requestedAt !== null) return "reading";
  if (failure !== null) return "failed";
  return syncedAt === null ? "reading" : "read";
}
