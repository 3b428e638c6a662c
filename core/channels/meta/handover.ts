import type { InboundItem } from "./inbound-item.ts";
import { accountItem, keyOf, type Place } from "./pieces.ts";
import { readFields, readId, readText, readTime } from "./read-json.ts";

/**
 * The app that gets a conversation is told of the pass, and the app that loses it of the take. Both
 * are told who has it now.
 */
export function readHandover(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const passed = readFields(fields?.["pass_thread_control"]);
  const taken = readFields(fields?.["take_thread_control"]);
  const sender = readFields(fields?.["sender"]);
  const customer =
    readId(sender?.["wa_id"]) ?? readId(sender?.["id"]) ?? readId(sender?.["user_id"]);
  if ((passed ?? taken) === null || customer === null) {
    return accountItem(place, "messaging_handovers", piece, null);
  }
  const at = readTime(fields?.["timestamp"]);
  return {
    ...place,
    kind: "handover",
    customer,
    providerKey: keyOf(piece),
    at,
    newOwner: readText((passed ?? taken)?.["new_owner_app_id"]),
    toUs: passed !== null,
  };
}
