import type {
  EraseContactInput,
  EraseEventsInput,
  EraseEventsProgress,
  ForgetCallsInput,
  ForgetCallsProgress,
} from "../core/model/erasure.ts";
import {
  endContactErasure,
  eraseContactEvents,
  eraseContactRows,
  forgetRefusedCalls,
} from "../core/services/contact-lifecycle/contact-traces.ts";
import { deleteFileRows, listFilesOfContacts } from "../core/services/media/media-erasure.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { deleteFile } from "./media/store-file.ts";
import { RetryLaterError } from "./retry-later.ts";

const rowsAtOnce = 500;
const eventsAtOnce = 100;
const filesAtOnce = 50;
/** Several small transactions in a call keep the history of a large contact short. */
const transactionsAtOnce = 10;
/** Each body may have 64 KiB, and a batch is searched within half a second. */
const callsAtOnce = 200;
/** Time limit of one search step: an account may have millions of calls. */
const searchMs = 10_000;
/** Then another worker takes the step, or this one after its restart. */
const retryMs = 1_000;

/** The steps of an erasure. Each may run twice, and finds less to do. */
export function createEraseContact(deps: ActivityDeps) {
  const { dataSource, log, stopping } = deps;
  return {
    /** Erases a batch of files, messages, notes, stored answers and inbound calls. */
    async eraseContactRows(input: EraseContactInput): Promise<{ done: boolean }> {
      const options = systemOf(input.accountId);
      if (!(await eraseFiles(deps, input))) return { done: false };
      let done = false;
      for (let round = 0; round < transactionsAtOnce && !done; round += 1) {
        done = await transaction(dataSource, options, (tx) =>
          eraseContactRows(tx, input, rowsAtOnce),
        );
      }
      return { done };
    },

    /** Erases a batch of one contact's events, with the answers of receivers. */
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

    /** Searches refused inbound calls for the person, for ten seconds or until this process stops. */
    async forgetRefusedCalls(input: ForgetCallsInput): Promise<ForgetCallsProgress> {
      if (stopping.aborted) throw new RetryLaterError("This process is to stop.", retryMs);
      const end = performance.now() + searchMs;
      let step: ForgetCallsProgress = { after: input.after, done: false };
      do {
        const from = { ...input, after: step.after };
        step = await transaction(dataSource, systemOf(input.accountId), (tx) =>
          forgetRefusedCalls(tx, from, callsAtOnce),
        );
      } while (!step.done && !stopping.aborted && performance.now() < end);
      return step;
    },

    /** The last step of an erasure. */
    async endContactErasure(input: { accountId: number; contactId: number }): Promise<void> {
      await transaction(dataSource, systemOf(input.accountId), (tx) =>
        endContactErasure(tx, input),
      );
    },
  };
}

/** Bytes go before their rows: a row is the only thing that names its file. @returns true if none is left */
async function eraseFiles(
  { dataSource, media }: ActivityDeps,
  { accountId, contactIds }: EraseContactInput,
): Promise<boolean> {
  const options = systemOf(accountId);
  for (let round = 0; round < transactionsAtOnce; round += 1) {
    const files = await transaction(dataSource, options, (tx) =>
      listFilesOfContacts(tx, contactIds, filesAtOnce),
    );
    for (const { id, keys } of files) await deleteFile(media, { accountId, mediaId: id }, keys);
    const ids = files.map(({ id }) => id);
    await transaction(dataSource, options, (tx) => deleteFileRows(tx, ids));
    if (files.length < filesAtOnce) return true;
  }
  return false;
}
