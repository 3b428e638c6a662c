import { callApi, type AnswerOf, type BodyOf } from "../../lib/api.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import { tellDone, tellFailure, tellWithActions } from "../../lib/notify.ts";

type Bulk = BodyOf<"POST /conversations/bulk">["action"];
/** An outcome for each conversation. */
export type Results = AnswerOf<"POST /conversations/bulk">;

/** An action of the list on conversations. */
export type RowAction = Extract<
  Bulk,
  { type: "resolve" | "reopen" | "snooze" | "assign" | "read" | "unread" }
>;

/** One action on these conversations. */
export interface Run {
  rows: InboxRow[];
  action: RowAction;
}

type Send = (rows: InboxRow[], action: RowAction) => Promise<Results>;

type TextKey = "inbox.not_changed" | "bulk.failed" | "bulk.undo" | `bulk.done.${RowAction["type"]}`;

interface Told extends Run {
  results: Results;
  send: Send;
  /** Reads these rows again. */
  place: (rows: InboxRow[]) => void;
  t: (key: TextKey, values?: Record<string, unknown>) => string;
}

/** Tells the result of a run in one message, with a way back where there is one. */
export function tellResult({ rows, action, results, send, place, t }: Told): void {
  const failed = results.filter(({ result }) => result === "error");
  const count = results.length - failed.length;
  const code = failed[0]?.code ?? "internal_error";
  const reason = errorCodeText({ code, message: code });
  const message = [
    ...(count === 0 ? [] : [t(`bulk.done.${action.type}`, { count })]),
    ...(failed.length === 0 ? [] : [t("bulk.failed", { names: namesOf(failed, rows), reason })]),
  ].join(" ");
  const done = rows.filter(({ id }) => results.find((one) => one.id === id)?.result === "done");
  const undo = undoOf(action, done, send);
  if (undo === null && failed.length === 0) {
    tellDone(message);
    return;
  }
  const takeBack = async (back: () => Promise<unknown>): Promise<void> => {
    await back().catch((error: unknown) => tellFailure(t("inbox.not_changed"), error));
    place(done);
  };
  const color = failed.length > 0 ? { color: "bad" } : {};
  const actions = undo === null ? [] : [{ label: t("bulk.undo"), run: () => void takeBack(undo) }];
  tellWithActions({ id: "bulk-result", ...color, message, actions });
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

/** Most conversations whose own states are given back, which takes calls for each. */
const mostCalls = 20;

/** The way back of an action on these conversations; null where there is no cheap one. */
function undoOf(action: RowAction, rows: InboxRow[], send: Send): (() => Promise<unknown>) | null {
  if (rows.length === 0) return null;
  const all = (back: RowAction) => async () => await send(rows, back);
  switch (action.type) {
    case "resolve":
      return async () => {
        // A state of its own takes calls of its own, of which there are not too many.
        const own = rows.filter((row) => !isPlain(row)).slice(0, mostCalls);
        const others = rows.filter((row) => !own.includes(row));
        const outcomes = await Promise.allSettled([
          send(others, { type: "reopen" }),
          ...own.map(reopenAsBefore),
        ]);
        const failed = outcomes.find(({ status }) => status === "rejected");
        if (failed?.status === "rejected") throw failed.reason;
      };
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

const isUnanswered = ({ status, answered_by_user_id }: InboxRow) =>
  status === "handed_off" && answered_by_user_id === null;

/** True where a reopening gives back all that the resolution has ended. */
const isPlain = (row: InboxRow) =>
  row.snoozed_until === null && row.status !== "waiting" && !isUnanswered(row);

/** A resolution has ended the handoff and the snooze too. */
async function reopenAsBefore(row: InboxRow): Promise<void> {
  const { id, status, snoozed_until: until } = row;
  if (isUnanswered(row))
    await callApi("POST /conversations/:id/bot", { id, body: { enabled: false } });
  else {
    const body = { status: status === "handed_off" ? "active" : status } as const;
    await callApi("PATCH /conversations/:id", { id, body });
  }
  if (until !== null && new Date(until) > new Date()) await snoozeAsBefore(row);
}

async function snoozeAsBefore({ id, snoozed_until: until }: InboxRow): Promise<void> {
  if (until === null) await callApi("DELETE /conversations/:id/snooze", { id });
  else await callApi("POST /conversations/:id/snooze", { id, body: { until } });
}
