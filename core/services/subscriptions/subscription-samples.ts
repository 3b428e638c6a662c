import type { Tx } from "../../../db/transaction.ts";
import { eventTypes } from "../../model/event-types.ts";
import { sampleEvent, serializeEvent } from "../../model/events.ts";
import type { SecretBox } from "../../secrets.ts";
import { deliveryHeaders, makeLoopMark } from "../../signature.ts";
import type { SignedSampleView } from "../../model/views/dashboard.ts";
import { getSubscription, listSigningSecrets, secretContext } from "./subscriptions.ts";

/**
 * The sample of every event type, as the POST that a subscription would get now, signed with its
 * secrets.
 * @throws AppError `subscription_not_found`
 */
export async function listSignedSamples(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
): Promise<SignedSampleView[]> {
  await getSubscription(tx, id);
  const context = secretContext(tx.actor.accountId, id);
  const sealed = await listSigningSecrets(tx, [id]);
  const secrets = sealed.map((row) => secretBox.open(row.sealed, context));
  const loopMark = makeLoopMark(secretBox);
  const timestampSeconds = Math.floor(tx.now.getTime() / 1_000);
  return eventTypes.map((eventType) => {
    const event = sampleEvent(eventType);
    const body = serializeEvent(event);
    const headers = deliveryHeaders({
      eventId: event.event_id,
      eventType,
      attempt: 1,
      body: Buffer.from(body, "utf8"),
      secrets,
      timestampSeconds,
      loopMark,
    });
    return { event_type: eventType, headers, body };
  });
}
