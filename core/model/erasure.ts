/**
 * Input of the workflow that erases the rest of a deleted contact. Ids and a wait alone, since
 * Temporal keeps the input.
 */
export type EraseContactInput = {
  accountId: number;
  /** The contact, and the contacts that were merged into it. */
  contactIds: number[];
  conversationIds: number[];
  /**
   * Wait before the second pass. That pass erases rows that were written while the contact was
   * deleted.
   */
  waitMs: number;
};

/** Input of a step that erases events of one contact. */
export type EraseEventsInput = {
  accountId: number;
  contactId: number;
  /** Hexadecimal id of the last event that was read; null at the start. */
  after: string | null;
};

/** Progress of the erasure of one contact's events. */
export type EraseEventsProgress = {
  /** Events erased by this step. */
  erased: number;
  /** Cursor for the next step; null where no step is needed. */
  after: string | null;
};

/** Input of a step that searches inbound calls for an erased person. */
export type ForgetCallsInput = {
  accountId: number;
  /** The contact that was erased. */
  contactId: number;
  /** The id of the last call that was searched; 0 at the start. */
  after: number;
};

/** Progress of the search of the inbound calls. */
export type ForgetCallsProgress = {
  after: number;
  /** No call was left to search. */
  done: boolean;
};

/** Names, emails and phones of an erased person, from each contact that was merged into one. */
export interface ErasedPerson {
  names: string[];
  emails: string[];
  /** The last eight digits of each phone, which are the same in every spelling of the number. */
  phoneEndings: string[];
}

/** The name, phone and email of a contact before it was merged into another one. */
export interface RetiredIdentifiers {
  name: string | null;
  phone: string | null;
  email: string | null;
}
