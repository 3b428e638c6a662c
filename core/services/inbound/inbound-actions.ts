import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { InboundData, InboundOutcome, InboundResult } from "../../model/inbound.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { addContactTag, removeContactTag } from "../contacts/contact-tags.ts";
import { upsertContact } from "../contacts/contact-upserts.ts";

/** Function of each action. To add one: its schema in `core/model/inbound.ts` and a line here. */
const actions: {
  [Action in keyof InboundData]: (tx: Tx, data: InboundData[Action]) => Promise<InboundOutcome>;
} = {
  "contact.upsert": async (tx, data) => {
    const { record, created, changed } = await upsertContact(tx, data);
    return outcomeOf(created ? "created" : resultOf(changed), record.row.id);
  },
  "contact.tag.add": async (tx, { phone, tag }) => {
    const contactId = await lockContactToTag(tx, phone);
    const { changed } = await addContactTag(tx, contactId, tag, { field: "body.data.tag" });
    return outcomeOf(resultOf(changed), contactId);
  },
  "contact.tag.remove": async (tx, { phone, tag }) => {
    const contactId = await lockContactToTag(tx, phone);
    const { changed } = await removeContactTag(tx, contactId, tag);
    return outcomeOf(resultOf(changed), contactId);
  },
};

/**
 * Runs an action of another system in the account of its endpoint (rule C63).
 * @throws AppError `contact_not_found`, `contact_conflict`; `validation_error` beyond 100 tags.
 */
export async function runInboundAction<Action extends keyof InboundData>(
  tx: Tx,
  { event, data }: { event: Action; data: InboundData[Action] },
): Promise<InboundOutcome> {
  return await actions[event](tx, data);
}

function outcomeOf(result: InboundResult, contactId: number): InboundOutcome {
  return { result, contactId, appointmentId: null };
}

function resultOf(changed: boolean): InboundResult {
  return changed ? "updated" : "unchanged";
}

/**
 * Locks the contact with a phone. After a merge that was under way, the phone leads to the winner.
 * @throws AppError `contact_not_found`; WriteConflict if the contact was merged or erased meanwhile.
 */
async function lockContactToTag(tx: Tx, phone: string): Promise<number> {
  const contactId = await findContactIdByPhone(tx, phone);
  if (contactId === null) {
    throw new AppError("contact_not_found", {
      message: "There is no contact with this phone. Create it with contact.upsert first.",
    });
  }
  await lockContact(tx, contactId);
  return contactId;
}
