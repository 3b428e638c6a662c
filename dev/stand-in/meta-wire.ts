import { hmacHex, type MetaAccount } from "./meta-accounts.ts";

/** One thing that Meta reports: the value of a change of WhatsApp, or an event of the others. */
export interface MetaPiece {
  account: MetaAccount;
  /** Field of WhatsApp, or the name of the array of the others. */
  field: string;
  value: Record<string, unknown>;
}

/** Bytes of a webhook with the value of X-Hub-Signature-256. */
export interface SignedWebhook {
  bytes: Buffer;
  signature: string;
}

/** JSON in ASCII. Meta escapes all other characters, so parsing and writing again changes the bytes. */
export function escapeJson(data: unknown): string {
  return JSON.stringify(data).replaceAll(
    // Without the flag u, so that each half of a pair is escaped by itself.
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Signs a body over its exact bytes. */
export function signWebhook(body: unknown, secret: string): SignedWebhook {
  const bytes = Buffer.from(escapeJson(body), "ascii");
  return { bytes, signature: `sha256=${hmacHex(secret, bytes)}` };
}

/**
 * One webhook with all pieces, in their order. The pieces are of one network. Neighbours with the
 * same account and field share a change of WhatsApp, as in Meta's batches.
 */
export function joinPieces(pieces: readonly MetaPiece[]): unknown {
  const [first] = pieces;
  if (first === undefined) throw new Error("A webhook has at least one piece.");
  if (first.account.network === "whatsapp") {
    return { object: "whatsapp_business_account", entry: joinChanges(pieces) };
  }
  const entry = groupBy(pieces, ({ account, field }) => `${account.id} ${field}`).map((group) => ({
    id: group[0].account.id,
    time: Date.now(),
    [group[0].field]: group.map(({ value }) => value),
  }));
  return { object: first.account.network === "messenger" ? "page" : "instagram", entry };
}

type Group = [MetaPiece, ...MetaPiece[]];

function joinChanges(pieces: readonly MetaPiece[]): unknown[] {
  return groupBy(pieces, ({ account }) => account.parentId).map((entry) => ({
    id: entry[0].account.parentId,
    time: Date.now(),
    changes: groupBy(entry, ({ account, field }) => `${account.id} ${field}`).flatMap(joinChange),
  }));
}

/** News of a template names no number, and each has a change of its own. */
function joinChange(group: Group): unknown[] {
  const [{ field, account }] = group;
  if (field.startsWith("message_template_")) return group.map(({ value }) => ({ field, value }));
  const metadata = {
    display_phone_number: account.name.replaceAll(/\D/gu, ""),
    phone_number_id: account.id,
  };
  const joined = joinValues(group.map(({ value }) => value));
  return [{ field, value: { messaging_product: "whatsapp", metadata, ...joined } }];
}

/** Lists of the same name become one; of anything else the last one stays. */
function joinValues(values: readonly Record<string, unknown>[]): Record<string, unknown> {
  const joined: Record<string, unknown> = {};
  for (const value of values) {
    for (const [name, part] of Object.entries(value)) {
      const known = joined[name];
      joined[name] = Array.isArray(known) && Array.isArray(part) ? [...known, ...part] : part;
    }
  }
  return joined;
}

/** Neighbours with the same key, in order. */
function groupBy(pieces: readonly MetaPiece[], keyOf: (piece: MetaPiece) => string): Group[] {
  const groups: Group[] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last !== undefined && keyOf(last[0]) === keyOf(piece)) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}
