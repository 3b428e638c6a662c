import { randomUUID } from "node:crypto";
import type { WorkflowHandle } from "@temporalio/client";
import type { SignalDefinition, Workflow } from "@temporalio/common";
import { Worker } from "@temporalio/worker";
import { z } from "zod";
import type { Activities } from "../../activities/index.ts";
import { accountSettings } from "../../core/model/account-settings.ts";
import { formatWait } from "../../core/model/workflow/delivery.ts";
import type { HandoffStart } from "../../core/model/workflow/handoff.ts";
import type { RescheduleEnd } from "../../core/model/workflow/rescheduling.ts";
import type { FetchMediaOutcome } from "../../core/model/workflow/media.ts";
import type { SendMailOutcome } from "../../core/model/workflow/mailing.ts";
import type { SendOutcome } from "../../core/model/workflow/sending.ts";
import type { applyCalendly } from "../../workflows/apply-calendly.ts";
import type { pairCalendly } from "../../workflows/pair-calendly.ts";
import type { reconcileCalendly } from "../../workflows/reconcile-calendly.ts";
import type { tellCalendly } from "../../workflows/tell-calendly.ts";
import type { agentTurn } from "../../workflows/agent-turn.ts";
import type { handoff } from "../../workflows/handoff.ts";
import type { remindAppointment } from "../../workflows/remind-appointment.ts";
import type { exportFile } from "../../workflows/export-file.ts";
import type { fetchMedia } from "../../workflows/fetch-media.ts";
import { changed as importChanged, type importFile } from "../../workflows/import-file.ts";
import type { undoImport } from "../../workflows/undo-import.ts";
import type { purgeMedia } from "../../workflows/purge-media.ts";
import type { refreshPage } from "../../workflows/refresh-page.ts";
import type { refreshPages } from "../../workflows/refresh-pages.ts";
import type { refreshTemplates } from "../../workflows/refresh-templates.ts";
import type { reschedule } from "../../workflows/reschedule.ts";
import type { sendMail } from "../../workflows/send-mail.ts";
import type { sendMessage } from "../../workflows/send-message.ts";
import type { snooze } from "../../workflows/snooze.ts";
import type { syncAppointment } from "../../workflows/sync-appointment.ts";
import { changed, type syncCalendar } from "../../workflows/sync-calendar.ts";
import type { syncTemplates } from "../../workflows/sync-templates.ts";
import type { watchCalendar } from "../../workflows/watch-calendar.ts";
import { casesQueued, type agentCases } from "../../workflows/agent-cases.ts";
import { customerWrote } from "../../workflows/agent-turn.ts";
import { eventually } from "../support/eventually.ts";
import type { WorkflowFixture } from "./fake-run.ts";
import { stepNames } from "./step-names.ts";

type History = Awaited<ReturnType<WorkflowHandle["fetchHistory"]>>;
type HistoryEvent = NonNullable<History["events"]>[number];

type HandoffSteps = Pick<
  Activities,
  "beginHandoff" | "remindHandoff" | "escalateHandoff" | "returnToAgent"
>;
type SendSteps = Pick<
  Activities,
  "sendToChannel" | "uploadToChannel" | "endUnknownSend" | "recordReport" | "cancelSend"
>;
type MoveSteps = Pick<
  Activities,
  "moveCalendarEvent" | "commitReschedule" | "releaseReschedule" | "syncCalendarEvents"
>;

type ReminderSteps = Pick<Activities, "sendReminder" | "cancelReminder">;

type SnoozeSteps = Pick<Activities, "endSnooze">;

type MailSteps = Pick<Activities, "postMail">;

type MediaSteps = Pick<Activities, "fetchMedia" | "purgeMedia">;
type ExportSteps = Pick<Activities, "writeExport" | "giveUpExport">;

type PageSteps = Pick<Activities, "refreshPage" | "requestDuePages">;
type TemplateSteps = Pick<Activities, "syncTemplates" | "requestDueTemplateSyncs">;
type ImportSteps = Pick<Activities, "runImport" | "undoImport">;
type CaseSteps = Pick<Activities, "runNextCase">;
type CalendarSteps = Pick<Activities, "readCalendar" | "keepCalendarChannel">;

type CalendlySteps = Pick<
  Activities,
  "applyCalendlyRequest" | "settleCalendlyPair" | "readCalendly" | "tellCalendly"
>;

type AgentSteps = Pick<
  Activities,
  "beginTurn" | "modelStep" | "runTool" | "commitReply" | "endTurn" | "handOverTurn"
>;

type Script = Partial<
  HandoffSteps &
    SendSteps &
    MoveSteps &
    ReminderSteps &
    SnoozeSteps &
    MailSteps &
    MediaSteps &
    ExportSteps &
    PageSteps &
    TemplateSteps &
    AgentSteps &
    CalendlySteps &
    CaseSteps &
    CalendarSteps &
    ImportSteps
>;

/** A run whose activities follow a script. */
export interface ScriptedRun<W extends Workflow> {
  handle: WorkflowHandle<W>;
  input: Parameters<W>[0];
  /** Names of the activities as they were called. */
  calls: string[];
  /** Lets the run's time go on until `seconds` after its first activity. */
  until(seconds: number): Promise<void>;
}

export type HandoffRun = ScriptedRun<typeof handoff>;
export type SendRun = ScriptedRun<typeof sendMessage>;
export type ReminderRun = ScriptedRun<typeof remindAppointment>;
export type SnoozeRun = ScriptedRun<typeof snooze>;
export type AgentRun = ScriptedRun<typeof agentTurn>;
export type MediaRun = ScriptedRun<typeof fetchMedia>;
export type PageRun = ScriptedRun<typeof refreshPage>;
export type TemplatesRun = ScriptedRun<typeof syncTemplates>;
export type CasesRun = ScriptedRun<typeof agentCases>;
export type MailRun = ScriptedRun<typeof sendMail>;
export type MoveRun = ScriptedRun<typeof reschedule>;
export type SyncRun = ScriptedRun<typeof syncAppointment>;
export type ReadingRun = ScriptedRun<typeof syncCalendar>;
export type WatchRun = ScriptedRun<typeof watchCalendar>;

/** A worker for runs that follow scripts. */
export interface ScriptFixture extends WorkflowFixture {
  taskQueue: string;
  /** Starts a handoff, with a signal where one is given; without a script nobody ever answers. */
  handoff(script?: Partial<HandoffSteps>, signal?: SignalDefinition | null): Promise<HandoffRun>;
  /** Starts a message on a channel that answers one outcome after the other, the last one for ever. */
  message(outcomes: SendOutcome[], script?: Partial<SendSteps>): Promise<SendRun>;
  /** Starts a reminder, with a signal where one is given; nothing speaks against cancelling it. */
  reminder(script: Partial<ReminderSteps>, signal?: SignalDefinition | null): Promise<ReminderRun>;
  /** Starts a snooze, with a signal where one is given. */
  snooze(script: SnoozeSteps, signal?: SignalDefinition | null): Promise<SnoozeRun>;
  /** Starts the agent of a conversation; without a script every turn is answered at once. */
  agent(script?: Partial<AgentSteps>, quietMs?: number): Promise<AgentRun>;
  /** Starts a run of test cases. */
  cases(script: CaseSteps): Promise<CasesRun>;
  /** Starts a mail to a server that answers one outcome after the other; a fault of ours is thrown. */
  mail(outcomes: (SendMailOutcome | Error)[]): Promise<MailRun>;
  /** Starts the download of a file, whose tries end one after the other; a fault of ours is thrown. */
  media(outcomes: (FetchMediaOutcome | Error)[]): Promise<MediaRun>;
  /** Starts an export, whose tries end one after the other; `never` fails all of them. */
  exportFile(
    outcomes: ({ state: string } | Error)[] | "never",
  ): Promise<ScriptedRun<typeof exportFile>>;
  /** Starts a purge of files. */
  mediaPurge(script: Pick<MediaSteps, "purgeMedia">): Promise<ScriptedRun<typeof purgeMedia>>;
  /** Starts the read of a page of the knowledge. */
  page(script: Pick<PageSteps, "refreshPage">): Promise<PageRun>;
  /** Starts the search for pages that are due. */
  duePages(script: Pick<PageSteps, "requestDuePages">): Promise<ScriptedRun<typeof refreshPages>>;
  /** Starts the read of a list of templates, after a wait where one is given. */
  templates(script: Pick<TemplateSteps, "syncTemplates">, waitMs?: number): Promise<TemplatesRun>;
  /** Starts the search for lists of templates that are due. */
  dueTemplates(
    script: Pick<TemplateSteps, "requestDueTemplateSyncs">,
  ): Promise<ScriptedRun<typeof refreshTemplates>>;
  /** Starts the move of an appointment; without a script all goes well, and the appointment is the same. */
  move(script?: Partial<MoveSteps>): Promise<MoveRun>;
  /** Starts the application of a webhook of Calendly. */
  calendlyRequest(
    script: Pick<CalendlySteps, "applyCalendlyRequest">,
  ): Promise<ScriptedRun<typeof applyCalendly>>;
  /** Starts the wait for the other half of a move at Calendly. */
  calendlyPair(
    script: Pick<CalendlySteps, "settleCalendlyPair">,
  ): Promise<ScriptedRun<typeof pairCalendly>>;
  /** Starts the reads of a connection with Calendly. */
  calendlyReads(
    script: Pick<CalendlySteps, "readCalendly">,
  ): Promise<ScriptedRun<typeof reconcileCalendly>>;
  /** Starts the telling of a change of ours to Calendly. */
  calendlyTelling(
    script: Pick<CalendlySteps, "tellCalendly">,
  ): Promise<ScriptedRun<typeof tellCalendly>>;
  /** Starts the work on an appointment's external events. */
  sync(script?: Partial<MoveSteps>): Promise<SyncRun>;
  /** Starts the reading of a calendar, as an announcement does. */
  reading(script: Pick<CalendarSteps, "readCalendar">): Promise<ReadingRun>;
  /** Starts the run of an import, as its upload does. */
  importing(script: Pick<ImportSteps, "runImport">): Promise<ScriptedRun<typeof importFile>>;
  /** Starts the undo of an import. */
  undoing(script: Pick<ImportSteps, "undoImport">): Promise<ScriptedRun<typeof undoImport>>;
  /** Starts the keeping of a calendar's channel. */
  watching(script: Pick<CalendarSteps, "keepCalendarChannel">): Promise<WatchRun>;
}

const minuteMs = 60_000;
const defaults = accountSettings.parse({});

/** How a handoff begins in an account that has set nothing. */
export const begun = {
  current: true,
  replied: false,
  remindMs: defaults.handoff_remind_minutes * minuteMs,
  escalateMs: defaults.handoff_escalate_minutes * minuteMs,
  returnMs: null,
} satisfies HandoffStart;

const nobodyAnswers: HandoffSteps = {
  beginHandoff: async () => begun,
  remindHandoff: async () => ({ state: "done" }),
  escalateHandoff: async () => ({ state: "done" }),
  returnToAgent: async () => ({ state: "returned" }),
};

const answersAtOnce: AgentSteps = {
  beginTurn: async () => ({ state: "go", turnId: 1 }),
  modelStep: async () => ({ state: "reply" }),
  runTool: async () => ({ state: "done", code: "ok", effect: false, handOver: null }),
  commitReply: async () => ({ state: "replied" }),
  endTurn: async ({ outcome }) => ({ state: outcome }),
  handOverTurn: async () => ({ state: "handed_off" }),
};

const allGoesWell: MoveSteps = {
  moveCalendarEvent: async () => ({ state: "done" }),
  commitReschedule: async ({ appointmentId }) => committed([appointmentId]),
  releaseReschedule: async ({ appointmentId, code }) => {
    return { state: "released", code, appointmentIds: [appointmentId] };
  },
  syncCalendarEvents: async () => ({ state: "done" }),
};

/** The end of a move that was carried out. */
export function committed(appointmentIds: number[]): RescheduleEnd {
  return { state: "committed", code: null, appointmentIds };
}

/** The id of what replaces an appointment of a script. */
export function successorOf(appointmentId: number): number {
  return 10_000 + appointmentId;
}

/** Starts a worker on a server. `stop` ends both. */
export async function createScriptFixture(fixture: WorkflowFixture): Promise<ScriptFixture> {
  const taskQueue = randomUUID();
  const scripts = new Map<number, RecordedScript>();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: scriptedActivities(fixture, scripts),
  });
  const running = worker.run();
  let count = 0;
  async function start<W extends Workflow>(
    workflow: string,
    script: Script,
    inputOf: (id: number) => Parameters<W>[0],
    signal: SignalDefinition | null = null,
  ): Promise<ScriptedRun<W>> {
    const id = (count += 1);
    const recorded: RecordedScript = { script, calls: [], startedAt: null };
    scripts.set(id, recorded);
    scripts.set(successorOf(id), recorded);
    const input = inputOf(id);
    const workflowId = `${workflow}-${taskQueue}-${id}`;
    const options = { workflowId, taskQueue, args: [input] };
    if (signal === null) await fixture.client.workflow.start(workflow, options);
    else await fixture.client.workflow.signalWithStart(workflow, { ...options, signal });
    const until = async (seconds: number): Promise<void> => {
      const end = await eventually(() => {
        if (recorded.startedAt === null) throw new Error("not called yet");
        return recorded.startedAt + seconds * 1_000;
      });
      await fixture.sleep(end - (await fixture.currentTimeMs()));
    };
    const handle = fixture.client.workflow.getHandle<W>(workflowId);
    return { handle, input, calls: recorded.calls, until };
  }
  return {
    ...fixture,
    taskQueue,
    handoff(script = {}, signal = null) {
      const inputOf = (conversationId: number) => ({ accountId: 1, conversationId, epoch: 1 });
      return start("handoff", { ...nobodyAnswers, ...script }, inputOf, signal);
    },
    message: (outcomes, script = {}) => {
      const all = { ...answering(outcomes), ...script };
      return start("sendMessage", all, (messageId) => ({ accountId: 1, messageId, inTask: true }));
    },
    reminder(script, signal = null) {
      const inputOf = (appointmentId: number) => ({ accountId: 1, appointmentId, run: 1 });
      const cancelReminder = async () => "cancelled" as const;
      return start("remindAppointment", { cancelReminder, ...script }, inputOf, signal);
    },
    snooze(script, signal = null) {
      const inputOf = (conversationId: number) => ({ accountId: 1, conversationId, run: 1 });
      return start("snooze", script, inputOf, signal);
    },
    agent(script = {}, quietMs = 0) {
      const inputOf = (conversationId: number) => ({ accountId: 1, conversationId, quietMs });
      return start("agentTurn", { ...answersAtOnce, ...script }, inputOf, customerWrote);
    },
    cases: (script) => start("agentCases", script, (accountId) => ({ accountId }), casesQueued),
    mail(outcomes) {
      const left = [...outcomes];
      const postMail = async () => {
        const outcome = left.shift() ?? { state: "over" as const };
        if (outcome instanceof Error) throw outcome;
        return await Promise.resolve(outcome);
      };
      return start("sendMail", { postMail }, (mailId) => ({ accountId: 1, mailId }));
    },
    media(outcomes) {
      const left = [...outcomes];
      const fetchMedia = async () => {
        const outcome = left.shift() ?? { state: "over" as const };
        if (outcome instanceof Error) throw outcome;
        return await Promise.resolve(outcome);
      };
      return start("fetchMedia", { fetchMedia }, (mediaId) => ({ accountId: 1, mediaId }));
    },
    exportFile(outcomes) {
      const left = outcomes === "never" ? null : [...outcomes];
      const writeExport = async () => {
        const outcome = left === null ? new Error("a fault of ours") : left.shift();
        if (outcome instanceof Error) throw outcome;
        return await Promise.resolve(outcome ?? { state: "ended" });
      };
      const giveUpExport = async () => await Promise.resolve({ state: "failed" });
      return start("exportFile", { writeExport, giveUpExport }, (exportId) => ({
        accountId: 1,
        exportId,
      }));
    },
    async mediaPurge(script) {
      scripts.set(0, { script, calls: [], startedAt: null });
      return await start("purgeMedia", script, () => undefined);
    },
    page: (script) =>
      start("refreshPage", script, (sourceId) => ({ accountId: 1, sourceId, run: 1 })),
    async duePages(script) {
      // A workflow without input: its step gets none either, so its script has the number 0.
      scripts.set(0, { script, calls: [], startedAt: null });
      return await start("refreshPages", script, () => undefined);
    },
    templates: (script, waitMs = 0) =>
      start("syncTemplates", script, (syncId) => ({ accountId: 1, syncId, run: 1, waitMs })),
    async dueTemplates(script) {
      scripts.set(0, { script, calls: [], startedAt: null });
      return await start("refreshTemplates", script, () => undefined);
    },
    move(script = {}) {
      const ids = (id: number) => ({ accountId: 1, appointmentId: id, rescheduleId: 500 + id });
      return start("reschedule", { ...allGoesWell, ...script }, ids);
    },
    sync(script = {}) {
      const ids = (appointmentId: number) => ({ accountId: 1, appointmentId });
      return start("syncAppointment", { ...allGoesWell, ...script }, ids);
    },
    calendlyRequest: (script) =>
      start("applyCalendly", script, (requestId) => ({ accountId: 1, requestId })),
    calendlyPair: (script) =>
      start("pairCalendly", script, (inviteeId) => ({ accountId: 1, inviteeId })),
    calendlyReads: (script) =>
      start("reconcileCalendly", script, (connectionId) => ({ accountId: 1, connectionId })),
    calendlyTelling: (script) =>
      start("tellCalendly", script, (inviteeId) => ({ accountId: 1, inviteeId })),
    reading: (script) =>
      start("syncCalendar", script, (linkId) => ({ accountId: 1, linkId }), changed),
    importing: (script) =>
      start("importFile", script, (importId) => ({ accountId: 1, importId }), importChanged),
    undoing: (script) =>
      start("undoImport", script, (importId) => ({ accountId: 1, importId }), importChanged),
    watching: (script) => start("watchCalendar", script, (linkId) => ({ accountId: 1, linkId })),
    async stop() {
      worker.shutdown();
      await running;
      await fixture.stop();
    },
  };
}

interface RecordedScript {
  script: Script;
  calls: string[];
  startedAt: number | null;
}

/** Inputs of steps name their script by one of these, the first that is there. */
const idNames = [
  "conversationId",
  "messageId",
  "mailId",
  "mediaId",
  "exportId",
  "appointmentId",
  "sourceId",
  "syncId",
  "requestId",
  "inviteeId",
  "connectionId",
  "linkId",
  "importId",
  "accountId",
] as const;

function scriptedActivities(fixture: WorkflowFixture, scripts: Map<number, RecordedScript>) {
  const activities = stepNames.map((name) => {
    const step = async (input: Partial<Record<(typeof idNames)[number], number>> = {}) => {
      const id = idNames.map((key) => input[key]).find((given) => given !== undefined) ?? 0;
      const recorded = scripts.get(id);
      if (recorded === undefined) throw new Error("no script");
      recorded.startedAt ??= await fixture.currentTimeMs();
      recorded.calls.push(name);
      const act = recorded.script[name] as (input: unknown) => Promise<unknown>;
      return await act(input);
    };
    return [name, step] as const;
  });
  return Object.fromEntries(activities);
}

function answering(outcomes: SendOutcome[]): SendSteps {
  const left = [...outcomes];
  return {
    sendToChannel: async () => (left.length > 1 ? left.shift() : left[0]) ?? { state: "over" },
    uploadToChannel: async () => ({ state: "over" }),
    endUnknownSend: async () => undefined,
    recordReport: async () => undefined,
    cancelSend: async () => "cancelled",
  };
}

/**
 * A run as its history tells it, exact whatever the machine is busy with: activities by name, waits
 * with their length, `cut` for a wait that ended early, signals, and how it ended.
 */
export async function storyOf(handle: Pick<WorkflowHandle, "fetchHistory">): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const wait = event.timerStartedEventAttributes?.startToFireTimeout;
    const activity =
      event.activityTaskScheduledEventAttributes?.activityType?.name ?? localActivityOf(event);
    const signal = event.workflowExecutionSignaledEventAttributes?.signalName;
    if (activity) return [activity];
    if (signal) return [`signal ${signal}`];
    if (event.timerCanceledEventAttributes) return ["cut"];
    if (!wait) return [];
    return [`wait ${formatWait(Number(wait.seconds ?? 0) * 1_000 + (wait.nanos ?? 0) / 1e6)}`];
  });
}

/** Name of the activity that ran inside the workflow task, where the event says so. */
function localActivityOf({ markerRecordedEventAttributes: marker }: HistoryEvent): string | null {
  const [payload] = marker?.details?.["data"]?.payloads ?? [];
  if (marker?.markerName !== "core_local_activity" || !payload?.data) return null;
  const data: unknown = JSON.parse(Buffer.from(payload.data).toString());
  return z.object({ activity_type: z.string() }).parse(data).activity_type;
}
