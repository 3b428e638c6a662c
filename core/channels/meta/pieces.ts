import { createHash } from "node:crypto";
import type { InboundItem, MetaNetwork } from "./inbound-item.ts";

/** Network and account of the company to which a piece of a webhook belongs. */
export interface Place {
  network: MetaNetwork;
  externalId: string;
  standby: boolean;
}

/** Reads each piece alone, so that one that fails costs no other. */
export function readPieces(
  place: Place,
  pieces: readonly unknown[],
  read: (piece: unknown) => InboundItem | InboundItem[],
): InboundItem[] {
  return pieces.flatMap((piece) => {
    try {
      return read(piece);
    } catch {
      return unreadable(place, piece, "not_readable");
    }
  });
}

/** An item for a piece that says nothing we know; it is kept as it arrived. */
export function unreadable(
  place: Place,
  raw: unknown,
  reason: string,
  kind: "unreadable" | "group" = "unreadable",
): InboundItem {
  const { network, externalId, standby } = place;
  const head = { network, externalId, standby, customer: null, at: null };
  return { ...head, kind, providerKey: keyOf(raw), reason, raw };
}

/** An item for a field that speaks of the account or the app, not of a message. */
export function accountItem(
  place: Place,
  field: string,
  value: unknown,
  at: string | null,
): InboundItem {
  return {
    ...place,
    kind: "account",
    customer: null,
    // Times too: a template may be paused, approved and paused again with the same words.
    providerKey: keyOf([field, value, at]),
    at,
    field,
    value,
  };
}

/** A key for a piece without an id: the same bytes give the same key. */
export function keyOf(raw: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(raw) ?? "", "utf8")
    .digest("hex");
}
