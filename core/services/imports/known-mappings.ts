import { createHash } from "node:crypto";
import { Import } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  contactMapping,
  type ContactMapping,
  type Detected,
  type ImportField,
} from "../../model/import.ts";

/** SHA-256 of the titles of a table, equal for files with the same header. Null without a header. */
export function headerHashOf(detected: Detected): Buffer | null {
  if (detected.format === "chat" || !detected.has_header) return null;
  const titles = detected.columns.map(({ title }) => title.trim().toLowerCase());
  return createHash("sha256").update(JSON.stringify(titles)).digest();
}

/** The mapping that a person saved last for a file with this header; null without one. */
export async function findKnownMapping(tx: Tx, headerHash: Buffer): Promise<ContactMapping | null> {
  const row = await tx.manager.findOne(Import, {
    where: { accountId: tx.actor.accountId, headerHash, isMapped: true },
    order: { id: "DESC" },
  });
  const parsed = contactMapping.safeParse(row?.mapping);
  return parsed.success ? parsed.data : null;
}

/** The mapping that the titles suggest. Null where no column holds a phone or an email, or for a chat. */
export function proposeMapping(detected: Detected): ContactMapping | null {
  if (detected.format === "chat") return null;
  const taken = new Set<ImportField>();
  const columns = detected.columns.map(({ index, field }) => {
    const isFree = field === "tags" || (field !== null && !taken.has(field));
    if (field !== null) taken.add(field);
    return { index, field: isFree ? field : null };
  });
  const { has_header } = detected;
  const parsed = contactMapping.safeParse({ columns, has_header });
  return parsed.success ? parsed.data : null;
}
