import { interactiveKinds, type Interactive } from "../../../../core/model/interactive.ts";
import type { Conversation } from "./api.ts";
import { useDraftKey } from "./use-draft-key.ts";
import { useFormDraft } from "./use-form-draft.ts";

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
}

/** Kinds that people choose from; times come from calendars. */
export const optionKinds = interactiveKinds.filter((kind) => kind !== "slots");
export type OptionKind = (typeof optionKinds)[number];

/** An option without words. */
export const emptyRow: OptionRow = { title: "", description: "" };
const empty: OptionsDraft = { kind: "buttons", body: "", rows: [emptyRow, emptyRow] };

/** The begun message with options of a conversation. */
export function useOptionsDraft({ id }: Conversation) {
  return useFormDraft<OptionsDraft>(useDraftKey(id, "options"), {
    empty,
    contentOf: toInteractive,
  });
}

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
