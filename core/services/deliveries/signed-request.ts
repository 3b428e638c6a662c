import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { SignedRequestView } from "../../model/views/dashboard.ts";
import type { SecretBox } from "../../secrets.ts";
import { deliveryHeaders, makeLoopMark } from "../../signature.ts";
import { readMaterial } from "./attempt-material.ts";

/**
 * The POST of a delivery as an attempt would make it now: to the present URL, with the stored bytes
 * and new signatures. Stored attempts keep no signature, and the answer holds no secret.
 * @throws AppError `delivery_not_found`, or `event_erased` where no bytes are left
 */
export async function getSignedRequest(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
): Promise<SignedRequestView> {
  const [own] = await tx.manager.query<{ number: number }[]>(
    `SELECT COALESCE(MAX(a.number), 1) AS number
       FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.run = d.run
      WHERE d.id = ? AND d.account_id = ? GROUP BY d.id`,
    [id, tx.actor.accountId],
  );
  if (own === undefined) throw notFound("delivery");
  const material = await readMaterial(tx, id);
  if (material === undefined) throw new AppError("event_erased");
  const { body, url, eventId, eventType, sealedSecrets, secretContext } = material;
  const headers = deliveryHeaders({
    eventId,
    eventType,
    attempt: own.number,
    body,
    secrets: sealedSecrets.map((sealed) => secretBox.open(sealed, secretContext)),
    timestampSeconds: Math.floor(tx.now.getTime() / 1_000),
    loopMark: makeLoopMark(secretBox),
  });
  return { url, headers, body: body.toString("utf8") };
}
