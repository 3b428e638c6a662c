/** What is left to erase of a contact that is gone: ids and a wait, since Temporal keeps it. */
export type EraseContactInput = {
  accountId: number;
  /** The contact, and those that were merged into it. */
  contactIds: number[];
  conversationIds: number[];
  /** Before a second look for what was under way when the contact went. */
  waitMs: number;
};

/** Which events of one contact are next. */
export type EraseEventsInput = {
  accountId: number;
  contactId: number;
  /** Hexadecimal id of the last event looked at; null at the start. */
  after: string | null;
};

/** How far the erasure of one contact's events has come. */
export type EraseEventsProgress = {
  /** Events erased by this step. */
  erased: number;
  /** Where the next step goes on; null where none is needed. */
  after: string | null;
};

/** Which inbound calls are next to be searched for an erased person. */
export type ForgetCallsInput = {
  accountId: number;
  /** The contact that was erased. */
  contactId: number;
  /** The id of the last call that was searched; 0 at the start. */
  after: number;
};

/** How far the search of the inbound calls has come. */
export type ForgetCallsProgress = {
  after: number;
  /** No call was left to search. */
  done: boolean;
};

/** What a person is known by, as each of the contacts that were one in the end. */
export interface ErasedPerson {
  names: string[];
  emails: string[];
  /** The last eight digits of each phone, which are the same however it is written. */
  phoneEndings: string[];
}
