import { IdempotencyKey } from "../../../db/entities/idempotency-key.ts";
import type { Tx } from "../../../db/transaction.ts";
import { contactIdIn } from "../../model/contact.ts";
import { completeKey, type IdempotentCalls, type Lease } from "./idempotency.ts";

/** A stored answer of the API. */
export interface StoredAnswer {
  status: number;
  /** Bytes of the envelope. */
  body: Buffer;
}

/** Calls of the API with an `Idempotency-Key`. A key counts for one API key, method and path. */
export const idempotencyKeys: IdempotentCalls<IdempotencyKey, StoredAnswer> = {
  entity: IdempotencyKey,
  keyName: "Idempotency-Key",
  unanswered: { status: null, answer: null, contactId: null },
  answerOf: ({ status, answer }) =>
    status === null || answer === null ? null : { status, body: answer },
};

/**
 * Stores the answer of a call. The contact in the answer is noted, so that the answer goes with the
 * contact.
 * @throws as `completeKey`
 */
export async function storeAnswer(
  tx: Tx,
  lease: Lease,
  { status, body }: StoredAnswer,
): Promise<void> {
  const envelope: unknown = JSON.parse(body.toString("utf8"));
  const data: unknown =
    typeof envelope === "object" && envelope !== null ? Reflect.get(envelope, "data") : null;
  const contactId = contactIdIn(data);
  await completeKey(tx, idempotencyKeys, lease, { status, answer: body, contactId });
}
