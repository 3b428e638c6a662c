import { interactiveKinds, type Interactive } from "../../../../core/model/interactive.ts";
import { readDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { newToken } from "../../lib/token.ts";
import type { Conversation } from "./api.ts";
import { useDraftKey } from "./use-draft-key.ts";

/** An option as a person writes it. An empty description is none. */
export interface OptionRow {
  title: string;
  description: string;
}

/** Options that a person writes; stored in this browser until they are sent. */
export interface OptionsDraft {
  kind: OptionKind;
  body: string;
  rows: OptionRow[];
  /** Unconfirmed message of this draft. A retry of the same words sends the same message again. */
  sent?: { id: string; words: string };
}

/** Kinds that people choose from; times come from calendars. */
export const optionKinds = interactiveKinds.filter((kind) => kind !== "slots");
export type OptionKind = (typeof optionKinds)[number];

/** An option without words. */
export const emptyRow: OptionRow = { title: "", description: "" };
const empty: OptionsDraft = { kind: "buttons", body: "", rows: [emptyRow, emptyRow] };

/** The begun message with options of a conversation. */
export function useOptionsDraft({ id }: Conversation) {
  const key = useDraftKey(id, "options");
  return {
    draft: parse(useDraft(key)),
    change: (part: Partial<OptionsDraft>): void =>
      write(key, { ...parse(readDraft(key)), ...part }),
    /** Id of the message under which the present words are sent. */
    startSending: (): string => startSending(key),
    settle: (messageId: string): void => settle(key, messageId),
  };
}

function startSending(key: string): string {
  const draft = parse(readDraft(key));
  const words = wordsOf(draft);
  const sent = draft.sent?.words === words ? draft.sent : { id: newToken(), words };
  write(key, { ...draft, sent });
  return sent.id;
}

/** Clears the draft of a stored message, unless the person has changed the draft since. */
function settle(key: string, messageId: string): void {
  const { sent, ...draft } = parse(readDraft(key));
  if (sent?.id !== messageId) return;
  if (sent.words === wordsOf(draft)) writeDraft(key, "");
  else write(key, draft);
}

function parse(stored: string): OptionsDraft {
  return stored === "" ? empty : (JSON.parse(stored) as OptionsDraft);
}

function write(key: string, draft: OptionsDraft): void {
  writeDraft(key, JSON.stringify(draft));
}

const wordsOf = (draft: OptionsDraft): string => JSON.stringify(toInteractive(draft));

/** Trouble of a row; null where it has none, or is empty and does not count. */
export function troubleOf(rows: OptionRow[], index: number): "no_title" | "same_title" | null {
  const { title, description } = rows[index] ?? emptyRow;
  if (title.trim() === "") return description.trim() === "" ? null : "no_title";
  const isTaken = rows.slice(0, index).some((row) => row.title.trim() === title.trim());
  return isTaken ? "same_title" : null;
}

/** The message of a draft, without its empty rows. */
export function toInteractive({ kind, body, rows }: OptionsDraft): Interactive {
  const options = rows
    .map((row) => ({ title: row.title.trim(), description: row.description.trim() }))
    .filter(({ title }) => title !== "")
    .map(({ title, description }, index) => ({
      id: String(index + 1),
      title,
      ...(description !== "" && { description }),
    }));
  return { kind, body: body.trim(), options };
}
