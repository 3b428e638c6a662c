import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { fillVariables, variableValues } from "../../../../core/model/text-variables.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { useSession } from "../../lib/session.ts";
import { useTeam } from "../../lib/team.ts";
import type { Conversation } from "./api.ts";
import { mentionLabels } from "./mentions.ts";

/** Word at the caret that asks for suggestions, and the position of its first character. */
interface Trigger {
  start: number;
  query: string;
}

/** An entry of the list above the composer. */
export interface Suggestion {
  key: string;
  label: string;
  /** Text that replaces the trigger. */
  text: string;
}

/** Suggestions for the word at the caret. */
export interface Suggestions {
  start: number;
  rows: Suggestion[];
  /** True until the rows for the typed word are known. */
  loading: boolean;
  /** True where the account has nothing to suggest at all. */
  none: boolean;
}

const triggers = {
  reply: /(?:^|\s)\/([\p{L}\p{N}-]*)$/u,
  note: /(?:^|\s)@([\p{L}\p{N}.'-]*)$/u,
};
const maxRows = 8;

function findTrigger(mode: "reply" | "note", before: string): Trigger | null {
  const query = triggers[mode].exec(before)?.[1];
  return query === undefined ? null : { start: before.length - query.length - 1, query };
}

function answersQuery(search: string) {
  return queryOptions({
    queryKey: [...liveKeys.answers, "canned", "suggested", search],
    queryFn: async () =>
      await callApi("GET /canned-answers", { query: { search, limit: maxRows } }),
  });
}

/**
 * Suggestions for the text before the caret: canned answers after `/` in a reply, members after `@`
 * in a note. Null where nothing fits.
 */
export function useSuggestions(
  conversation: Conversation,
  mode: "reply" | "note",
  before: string,
): Suggestions | null {
  const trigger = findTrigger(mode, before);
  const answers = useAnswers(conversation, mode === "reply" ? trigger : null);
  const team = useTeam();
  if (trigger === null) return null;
  if (mode === "reply") return answers;
  const rows = mentionLabels(team)
    .filter(({ label }) => hasWord(label, trigger.query))
    .slice(0, maxRows)
    .map(({ id, label }) => ({ key: String(id), label, text: `@${label} ` }));
  return rows.length === 0 ? null : { start: trigger.start, rows, loading: false, none: false };
}

function useAnswers(conversation: Conversation, trigger: Trigger | null): Suggestions | null {
  const { user, account } = useSession();
  const { data, isPlaceholderData, isError } = useQuery({
    ...answersQuery(trigger?.query ?? ""),
    enabled: trigger !== null,
    placeholderData: keepPreviousData,
  });
  if (trigger === null || isError) return null;
  const { start, query } = trigger;
  if (data === undefined) return { start, rows: [], loading: true, none: false };
  const values = variableValues({ contact: conversation.contact, agent: user, account });
  // Rows of the word before the last key are shown until those of the present word are known.
  const shown = isPlaceholderData ? data.data.filter((row) => fits(row, query)) : data.data;
  const rows = shown.map(({ id, shortcut, text }) => ({
    key: String(id),
    label: shortcut,
    text: fillVariables(text, values),
  }));
  const none = rows.length === 0 && query === "" && !isPlaceholderData;
  return rows.length > 0 || isPlaceholderData || none
    ? { start, rows, loading: isPlaceholderData, none }
    : null;
}

function fits({ shortcut, text }: { shortcut: string; text: string }, query: string): boolean {
  const word = query.toLowerCase();
  return shortcut.toLowerCase().startsWith(word) || text.toLowerCase().includes(word);
}

function hasWord(name: string, query: string): boolean {
  const wanted = plain(query);
  return plain(name)
    .split(/\s+/u)
    .some((word) => word.startsWith(wanted));
}

/** Lower case without accents, so that "garcia" finds "García". */
function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
