import { maxTagsPerContact, tagKey } from "../model/contact.ts";
import type { ImportField } from "../model/import.ts";
import type { RowContact } from "./contact-row.ts";

/** A card of a pipeline, with the columns that a move changes. Times are ISO texts. */
export interface BookCard {
  stageId: number;
  place: number;
  outcome: string;
  lostReason: string | null;
  closedAt: string | null;
  movedAt: string;
}

/** A contact while rows are applied to it. */
export interface BookContact {
  /** Null until the contact is stored. */
  id: number | null;
  name: string | null;
  phone: string | null;
  phoneKey: string | null;
  email: string | null;
  tags: string[];
  version: number;
  /** Its card in the pipeline of the import; null without one. */
  card: BookCard | null;
  /** Stage that waits for the contact's first conversation. */
  waitingStageId: number | null;
  /** Texts of its notes, as far as rows name them. */
  notes: string[];
}

/** A contact of the database. */
export type StoredContact = BookContact & { id: number };

/** Changes of one row, each with the value before and after. An undo reads them. */
export interface RowChange {
  /** Version of the contact before the row; 0 for a contact that the row created. */
  version: number;
  name?: [before: string | null, after: string];
  phone?: [before: string | null, after: string];
  email?: [before: string | null, after: string];
  /** Tags that the row added. */
  tags?: string[];
  stage?: { pipelineId: number; stageId: number; before: BookCard | null };
  note?: true;
}

/** Outcome of a row. */
export type RowOutcome =
  | {
      plan: "create" | "update" | "unchanged";
      contact: BookContact;
      fields: ImportField[];
      change: RowChange;
      /** Version of the contact after the row. */
      afterVersion: number;
    }
  | { plan: "skip"; reason: "too_many_tags" }
  | { plan: "conflict"; reason: "contact_conflict" };

/** Stage of a row, found by its name. */
export interface RowStage {
  pipelineId: number;
  stageId: number;
}

/** Options of a book. */
export interface BookOptions {
  /** True: a row replaces values. False: a row fills empty ones only. */
  overwrite: boolean;
  /** Key of a tag that is equal where the database treats two tags as equal. */
  tagId: (tag: string) => string;
}

/**
 * Applies rows to contacts one after the other, as `upsertContact` would. The phone decides, then
 * the email. Rows meet the contacts of earlier rows too. The plan and the commit share this class,
 * so that both judge alike.
 */
export class ContactBook {
  readonly #byPhone = new Map<string, BookContact>();
  readonly #byEmail = new Map<string, BookContact>();
  readonly #options: BookOptions;

  /** @param known all owners of the phones and emails of the rows to come. */
  constructor(known: readonly StoredContact[], options: BookOptions) {
    this.#options = options;
    for (const contact of known) this.#enter(contact);
  }

  /** Applies one row. */
  apply(row: RowContact, stage: RowStage | null): RowOutcome {
    const byPhone = row.phoneKey === null ? undefined : this.#byPhone.get(row.phoneKey);
    const byEmail = row.email === null ? undefined : this.#byEmail.get(row.email);
    if (byPhone !== undefined && byEmail !== undefined && byPhone !== byEmail) {
      return { plan: "conflict", reason: "contact_conflict" };
    }
    const known = byPhone ?? byEmail;
    const contact = known ?? blankContact();
    const added = this.#newTags(contact, row.tags);
    if (contact.tags.length + added.length > maxTagsPerContact && added.length > 0) {
      return { plan: "skip", reason: "too_many_tags" };
    }
    const change: RowChange = { version: contact.version };
    this.#identify(contact, row, change);
    if (added.length > 0) {
      contact.tags.push(...added);
      change.tags = added;
    }
    const hasChanged = Object.keys(change).length > 1;
    if (known === undefined || hasChanged) contact.version += 1;
    this.#place(contact, stage, change);
    this.#note(contact, row.note, change);
    this.#enter(contact);
    const fields = (["name", "phone", "email", "tags", "stage", "note"] as const).filter(
      (field) => change[field] !== undefined,
    );
    const plan = known === undefined ? "create" : fields.length > 0 ? "update" : "unchanged";
    return { plan, contact, fields, change, afterVersion: contact.version };
  }

  #identify(contact: BookContact, row: RowContact, change: RowChange): void {
    const { overwrite } = this.#options;
    for (const field of ["name", "email"] as const) {
      const [before, after] = [contact[field], row[field]];
      if (after === null || after === before || (before !== null && !overwrite)) continue;
      if (field === "email" && before !== null) this.#byEmail.delete(before);
      contact[field] = after;
      change[field] = [before, after];
    }
    const { phone, phoneKey } = row;
    // A phone with the same key is the same number. Its stored digits stay.
    if (phone === null || phoneKey === contact.phoneKey) return;
    if (contact.phoneKey !== null && !overwrite) return;
    if (contact.phoneKey !== null) this.#byPhone.delete(contact.phoneKey);
    change.phone = [contact.phone, phone];
    Object.assign(contact, { phone, phoneKey });
  }

  /** Tags that the contact lacks. Of two spellings of one tag the first counts. */
  #newTags(contact: BookContact, tags: readonly string[]): string[] {
    const { tagId } = this.#options;
    const known = new Set(contact.tags.flatMap((tag) => [tagKey(tag), tagId(tag)]));
    const added: string[] = [];
    for (const tag of tags) {
      const keys = [tagKey(tag), tagId(tag)];
      if (keys.some((key) => known.has(key))) continue;
      for (const key of keys) known.add(key);
      added.push(tag);
    }
    return added;
  }

  #place(contact: BookContact, stage: RowStage | null, change: RowChange): void {
    if (stage === null) return;
    const { card, waitingStageId } = contact;
    const isThere =
      card === null
        ? waitingStageId === stage.stageId
        : card.stageId === stage.stageId && card.outcome === "open";
    if (isThere) return;
    const isFilled = card !== null || waitingStageId !== null;
    if (isFilled && !this.#options.overwrite) return;
    change.stage = { ...stage, before: card };
    if (card === null) contact.waitingStageId = stage.stageId;
    else contact.card = { ...card, ...openColumns, stageId: stage.stageId };
  }

  #note(contact: BookContact, note: string | null, change: RowChange): void {
    if (note === null || contact.notes.includes(note)) return;
    contact.notes.push(note);
    change.note = true;
  }

  #enter(contact: BookContact): void {
    if (contact.phoneKey !== null) this.#byPhone.set(contact.phoneKey, contact);
    if (contact.email !== null) this.#byEmail.set(contact.email, contact);
  }
}

const openColumns = { outcome: "open", lostReason: null, closedAt: null } as const;

function blankContact(): BookContact {
  return {
    id: null,
    name: null,
    phone: null,
    phoneKey: null,
    email: null,
    tags: [],
    version: 0,
    card: null,
    waitingStageId: null,
    notes: [],
  };
}
