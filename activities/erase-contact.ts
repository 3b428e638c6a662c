import type {
  EraseContactInput,
  EraseEventsInput,
  EraseEventsProgress,
} from "../core/model/erasure.ts";
import { eraseContactEvents, eraseContactRows } from "../core/services/contact-traces.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";

const rowsAtOnce = 500;
const eventsAtOnce = 100;
/** Small transactions, several in a call: a large contact then makes no long history. */
const transactionsAtOnce = 10;

/** The steps of an erasure. Each may run twice, and finds less to do. */
export function createEraseContact({ dataSource, log }: ActivityDeps) {
  return {
    /** A batch of messages, notes, stored answers and inbound calls. */
    async eraseContactRows(input: EraseContactInput): Promise<{ done: boolean }> {
      const options = systemOf(input.accountId);
      let done = false;
      for (let round = 0; round < transactionsAtOnce && !done; round += 1) {
        done = await transaction(dataSource, options, (tx) =>
          eraseContactRows(tx, input, rowsAtOnce),
        );
      }
      return { done };
    },

    /** A batch of one contact's events, with what receivers answered to them. */
    async eraseContactEvents(input: EraseEventsInput): Promise<EraseEventsProgress> {
      const options = systemOf(input.accountId);
      let { after } = input;
      let erased = 0;
      for (let round = 0; round < transactionsAtOnce; round += 1) {
        const from = { ...input, after };
        const batch = await transaction(dataSource, options, (tx) =>
          eraseContactEvents(tx, from, eventsAtOnce),
        );
        erased += batch.erased;
        after = batch.after;
        if (after === null) break;
      }
      log.info({ contact_id: input.contactId, erased }, "contact.events_erased");
      return { erased, after };
    },
  };
}
