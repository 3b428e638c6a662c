import { In, IsNull } from "typeorm";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ChannelTemplate } from "../../../db/entities/channel-template.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { TemplateDirectoryQuery, TemplateEntry } from "../../model/template-list.ts";
import type { Page } from "../../model/page.ts";
import { presentTemplate } from "./template-views.ts";

/**
 * Templates of the account's numbers for programs, by name and language. Templates that Meta no
 * longer lists, and those of disconnected numbers, are left out. An unknown channel has none.
 */
export async function listTemplateEntries(
  tx: Tx,
  { channel_account_id: channelId, status, limit, offset }: TemplateDirectoryQuery,
): Promise<Page<TemplateEntry>> {
  const channels = await readNumbers(tx, channelId);
  if (channels.size === 0) return { rows: [], total: 0, totalAtLeast: false };
  const [rows, total] = await tx.manager.findAndCount(ChannelTemplate, {
    where: {
      accountId: tx.actor.accountId,
      wabaId: In([...channels.keys()]),
      goneAt: IsNull(),
      ...(status !== undefined && { status }),
    },
    order: { name: "ASC", language: "ASC", id: "ASC" },
    take: limit,
    skip: offset,
  });
  const entries = rows.map((row): TemplateEntry => {
    const { quality: _quality, rejected_reason: _reason, ...shown } = presentTemplate(row);
    return { ...shown, channel_account_ids: channels.get(row.wabaId) ?? [] };
  });
  return { rows: entries, total, totalAtLeast: false };
}

/** Ids of the numbers that can send, by the WhatsApp Business Account that has their templates. */
async function readNumbers(tx: Tx, id: number | undefined): Promise<Map<string, number[]>> {
  const rows = await tx.manager.find(ChannelAccount, {
    where: {
      accountId: tx.actor.accountId,
      driver: "whatsapp_cloud",
      ...(id !== undefined && { id }),
    },
    order: { id: "ASC" },
  });
  const byAccount = new Map<string, number[]>();
  for (const { id: number, parentId, state } of rows) {
    if (parentId === null || state === "disconnected") continue;
    byAccount.set(parentId, [...(byAccount.get(parentId) ?? []), number]);
  }
  return byAccount;
}
