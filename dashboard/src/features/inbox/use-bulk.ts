import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { maxBulk } from "../../../../core/model/inbox-queue.ts";
import { callApi, type AnswerOf, type BodyOf } from "../../lib/api.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import { placeChanged, type InboxRow } from "../../lib/inbox-queue.ts";
import { tellDone, tellFailure, tellWithActions } from "../../lib/notify.ts";

type Bulk = BodyOf<"POST /conversations/bulk">["action"];
type Results = AnswerOf<"POST /conversations/bulk">;

/** An action of the list on conversations. */
export type RowAction = Extract<
  Bulk,
  { type: "resolve" | "reopen" | "snooze" | "assign" | "read" | "unread" }
>;

interface Run {
  rows: InboxRow[];
  action: RowAction;
}

/** Does one action on several conversations. One message has the count and names the failures. */
export function useBulk() {
  const client = useQueryClient();
  const { t } = useTranslation();
  const tellResult = useTellResult();
  const place = (rows: InboxRow[]): void =>
    void placeChanged(
      client,
      rows.map(({ contact_id: id }) => id),
    );
  return useMutation({
    mutationFn: async ({ rows, action }: Run) => await send(rows, action),
    onSuccess: (results, { rows, action }) => {
      const done = rows.filter(({ id }) => results.find((one) => one.id === id)?.result === "done");
      const undo = undoOf(action, done);
      const takeBack = async (back: () => Promise<unknown>): Promise<void> => {
        await back().catch((error: unknown) => tellFailure(t("inbox.not_changed"), error));
        place(done);
      };
      tellResult(results, { rows, action }, undo && (() => void takeBack(undo)));
    },
    onError: (error) => tellFailure(t("inbox.not_changed"), error),
    onSettled: (_results, _error, { rows }) => place(rows),
  });
}

async function send(rows: InboxRow[], action: RowAction): Promise<Results> {
  const results: Results = [];
  for (let from = 0; from < rows.length; from += maxBulk) {
    const ids = rows.slice(from, from + maxBulk).map(({ id }) => id);
    results.push(...(await callApi("POST /conversations/bulk", { body: { ids, action } })));
  }
  return results;
}

/** Most conversations whose snoozes are taken back, which takes a call for each. */
const mostCalls = 20;

/** The way back of an action on these conversations; null where there is no cheap one. */
function undoOf(action: RowAction, rows: InboxRow[]): (() => Promise<unknown>) | null {
  if (rows.length === 0) return null;
  const all = (back: RowAction) => async () => await send(rows, back);
  switch (action.type) {
    case "resolve":
      return all({ type: "reopen" });
    case "reopen":
      return all({ type: "resolve" });
    case "read":
      return all({ type: "unread" });
    case "unread":
      return all({ type: "read" });
    case "assign":
      return async () => {
        const before = new Set(rows.map((row) => row.assigned_to_user_id));
        for (const user_id of before) {
          const theirs = rows.filter((row) => row.assigned_to_user_id === user_id);
          await send(theirs, { type: "assign", user_id });
        }
      };
    case "snooze":
      if (rows.length > mostCalls) return null;
      return async () => await Promise.all(rows.map(async (row) => await snoozeAsBefore(row)));
  }
}

async function snoozeAsBefore({ id, snoozed_until: until }: InboxRow): Promise<void> {
  if (until === null) await callApi("DELETE /conversations/:id/snooze", { id });
  else await callApi("POST /conversations/:id/snooze", { id, body: { until } });
}

/** Tells the result of a run in one message, with a way back where there is one. */
function useTellResult() {
  const { t } = useTranslation();
  return (results: Results, { rows, action }: Run, undo: (() => void) | null): void => {
    const failed = results.filter(({ result }) => result === "error");
    const count = results.length - failed.length;
    const code = failed[0]?.code ?? "internal_error";
    const reason = errorCodeText({ code, message: code });
    const message = [
      ...(count === 0 ? [] : [t(`bulk.done.${action.type}`, { count })]),
      ...(failed.length === 0 ? [] : [t("bulk.failed", { names: namesOf(failed, rows), reason })]),
    ].join(" ");
    if (undo === null && failed.length === 0) {
      tellDone(message);
      return;
    }
    const color = failed.length > 0 ? { color: "bad" } : {};
    const actions = undo === null ? [] : [{ label: t("bulk.undo"), run: undo }];
    tellWithActions({ id: "bulk-result", ...color, message, actions });
  };
}

const mostNames = 3;

/** Names of the first failures, and the number of the others. */
function namesOf(failed: Results, rows: InboxRow[]): string {
  const names = failed
    .slice(0, mostNames)
    .map(({ id }) => rows.find((row) => row.id === id)?.contact?.name ?? `#${id}`);
  const more = failed.length - names.length;
  return [...names, ...(more > 0 ? [`+${more}`] : [])].join(", ");
}
