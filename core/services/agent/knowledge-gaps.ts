import { IsNull } from "typeorm";
import { KnowledgeGap } from "../../../db/entities/knowledge.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { KnowledgeGapListQuery } from "../../model/knowledge.ts";
import { maskPersonal } from "../../model/mask.ts";
import type { Page } from "../../model/page.ts";
import type { Locale } from "../../model/user.ts";
import type { KnowledgeGapView } from "../../model/views/knowledge.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { allOf, countAll } from "../sql.ts";
import { lockOpenGap } from "./knowledge.ts";

const audit = auditOf("knowledge_gap");

interface GapRow {
  id: number;
  question: string;
  language: Locale;
  times: number;
  conversation_id: number;
  contact_name: string | null;
  draft: string | null;
  item_id: number | null;
  created_at: Date;
}

/**
 * Open gaps, those asked last first. Equal questions in one language are one gap. A gap comes with
 * the newest text that a person answered after one of them, without the customer's personal data.
 */
export async function listKnowledgeGaps(
  tx: Tx,
  { language, limit, offset }: KnowledgeGapListQuery,
): Promise<Page<KnowledgeGapView>> {
  const { sql, values } = allOf([
    ["account_id = ?", tx.actor.accountId],
    ["resolved_at IS NULL"],
    ...(language === undefined ? [] : ([["language = ?", language]] as [string, Locale][])),
  ]);
  const groups = `FROM (SELECT MAX(id) AS id, COUNT(*) AS times
      FROM knowledge_gaps FORCE INDEX (knowledge_gaps_account)
     WHERE ${sql} GROUP BY language, question) AS asked`;
  const rows = await tx.manager.query<GapRow[]>(
    `SELECT g.id, g.question, g.language, asked.times, g.conversation_id, g.item_id, g.created_at,
            replied.content AS draft, replied.name AS contact_name
       ${groups} JOIN knowledge_gaps g ON g.id = asked.id
       LEFT JOIN LATERAL (SELECT m.content, c.name
              FROM knowledge_gaps s FORCE INDEX (knowledge_gaps_account)
              JOIN messages m FORCE INDEX (messages_conversation)
                ON m.conversation_id = s.conversation_id AND m.created_at > s.created_at
              JOIN contacts c ON c.id = s.contact_id
             WHERE s.account_id = g.account_id AND s.resolved_at IS NULL
               AND s.language = g.language AND s.question = g.question
               AND m.sender_type = 'user' AND m.type = 'text'
             ORDER BY s.id DESC, m.id LIMIT 1) AS replied ON TRUE
      ORDER BY g.id DESC LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  );
  return { rows: rows.map(present), ...(await countAll(tx, { sql: groups, values })) };
}

/** Dismisses a gap, with all that ask the same. @throws AppError `knowledge_gap_not_found` */
export async function dismissKnowledgeGap(tx: Tx, id: number): Promise<void> {
  const { accountId, question, language } = await lockOpenGap(tx, id);
  const same = { accountId, question, language, resolvedAt: IsNull() };
  await tx.manager.update(KnowledgeGap, same, { resolvedAt: tx.now });
  await recordAudit(tx, audit("dismissed", id, {}));
  await recordChange(tx, { kind: "knowledge.updated" });
}

function present({ contact_name: name, created_at: at, ...row }: GapRow): KnowledgeGapView {
  const draft = row.draft === null ? null : maskPersonal(row.draft, [name]);
  return { ...row, draft, times: Number(row.times), created_at: at.toISOString() };
}
