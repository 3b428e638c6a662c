import type { Tx } from "../../../db/transaction.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/**
 * Forgets events of an erased person that a reading of a calendar has kept until its end. They hold
 * title, name, phone and address. Nothing changes in the calendar.
 */
export async function forgetStagedEvents(
  tx: Tx,
  { emails, phoneEndings }: Pick<ErasedPerson, "emails" | "phoneEndings">,
): Promise<void> {
  await tx.manager.query(
    `DELETE c FROM calendar_links l
       STRAIGHT_JOIN calendar_changes c FORCE INDEX (calendar_changes_event) ON c.link_id = l.id
      WHERE l.account_id = ? AND c.kind = 'appeared'
        AND (c.body->>'$.customer.email' IN (${placeholders(["", ...emails])})
          OR RIGHT(c.body->>'$.customer.phone', 8) IN (${placeholders(["", ...phoneEndings])}))`,
    [tx.actor.accountId, "", ...emails, "", ...phoneEndings],
  );
}
