import { expect, test } from "vitest";
import { listOldFiles, listTakenBackFiles } from "../../core/services/media/media-erasure.ts";
import {
  listLateRuns,
  lostRunKinds,
  withoutPending,
} from "../../core/services/operations/lost-runs.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const { plansOf } = usePlans(fillForPlans);
const page = { after: 0, limit: 100 };

const indexes: Record<string, { table: string; key: string | string[] }> = {
  message: { table: "messages", key: "messages_unfinished" },
  handoff: { table: "conversations", key: "conversations_handoff_due" },
  agent: { table: "agent_conversations", key: "agent_conversations_owed" },
  agent_cases: { table: "agent_cases", key: "agent_cases_queued" },
  snooze: { table: "conversations", key: "conversations_snooze_due" },
  reschedule: { table: "appointment_reschedules", key: "appointment_reschedules_state" },
  reminder: { table: "appointment_reminders", key: "appointment_reminders_due" },
  calendar_sync: { table: "calendar_syncs", key: "PRIMARY" },
  export: { table: "exports", key: "exports_state" },
  calendly_request: { table: "calendly_requests", key: "calendly_requests_state" },
  calendly_pair: { table: "calendly_invitees", key: "calendly_invitees_state" },
  calendly_read: { table: "calendly_accounts", key: "calendly_accounts_due" },
  calendly_tell: { table: "i", key: "calendly_invitees_told" },
  calendar_reading: { table: "calendar_links", key: "calendar_links_read" },
  erasure: { table: "contact_erasures", key: "PRIMARY" },
  knowledge: { table: "knowledge_sources", key: "knowledge_sources_requested" },
  templates: { table: "channel_template_syncs", key: "channel_template_syncs_requested" },
  mail: { table: "mails", key: "mails_state" },
  media: { table: "message_media", key: "message_media_state" },
  import: { table: "imports", key: ["imports_state", "imports_file"] },
  replay: { table: "replays", key: "replays_state" },
};

test.each(lostRunKinds)("late runs of the kind %s are found by an index", async (kind) => {
  const { table, key } = indexes[kind] ?? {};
  const steps = await plansOf((tx) => listLateRuns(tx, kind, page));
  const own = steps.filter((step) => step.table === table);
  expect(own.length).toBeGreaterThan(0);
  expect(new Set(own.map((step) => step.key))).toEqual(new Set([key].flat()));
  expect(own.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});

test("what the outbox still holds of an account is found by its lanes", async () => {
  const command = {
    op: "start",
    workflow: "sendMessage",
    workflowId: "message-1",
    taskQueue: "conversations",
    input: {},
    summary: "",
  } as const;
  const run = { id: 1, accountId: 2, command, standIns: [] };
  const steps = await plansOf((tx) => withoutPending(tx, [run]));
  expect(steps).toMatchObject([{ table: "outbox", key: "outbox_lane", type: "range" }]);
});

test("files that were taken back, and are stored, are found without those that are gone", async () => {
  const steps = await plansOf((tx) => listTakenBackFiles(tx, tx.now, 100));
  expect(steps).toMatchObject([
    { table: "message_media", key: "message_media_stored", type: "range" },
  ]);
});

test("old files are read in the order of their index", async () => {
  const [step] = await plansOf((tx) => listOldFiles(tx, tx.now, 100));
  expect(step).toMatchObject({ key: "message_media_state", type: "ref" });
  expect(step?.Extra ?? "").not.toContain("filesort");
});
