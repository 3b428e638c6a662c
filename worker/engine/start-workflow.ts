import {
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from "@temporalio/client";
import { defineSearchAttributeKey, type SearchAttributePair } from "@temporalio/common";
import { runKey, type HostLimiter } from "../../activities/limits/host-limiter.ts";
import type { DeliverWebhookInput, FailedAttempt } from "../../core/model/workflow/delivery.ts";
import type { TemporalNaming } from "../../core/model/installation.ts";
import { hostOf } from "../../core/model/partition-key.ts";
import type {
  DeliveryCommand,
  TaskQueue,
  WorkflowCommand,
} from "../../core/model/workflow/workflow-command.ts";
import type { ClaimedRow } from "../../core/services/outbox/outbox-claims.ts";
import { withLimit } from "../time-limit.ts";
import { subscriptionOf } from "./subscription-limits.ts";

/** Options that all starts of this process share. */
export interface StartOptions {
  client: Client;
  naming: TemporalNaming;
  waitsMs: readonly number[];
  /** True once runs may carry search attributes. */
  isSearchable: () => boolean;
  hostLimiter: HostLimiter;
}

/** Options of one start. */
interface StartAttempt extends Omit<StartOptions, "isSearchable"> {
  searchable: boolean;
}

/** Result of a start that met no fault. */
type Told = "started" | "known" | { laterMs: number };

/**
 * Result of sending a row to Temporal. `known`: nothing new had to start. `laterMs`: the host has no
 * free slot, so the row is claimed again after this time.
 */
export type StartResult = Told | { error: string; transient: boolean };

/** The delivery or the request of a row no longer exists, so its start would always fail. */
class RowGoneError extends Error {
  override readonly name = "RowGoneError";
}

/** Time limit of a call to Temporal. */
const deadlineMs = 5_000;
/** Wait of a row without a slot. The relay claims the row again only once its host has a free slot. */
const fullHostMs = 250;
const deliveryQueue: TaskQueue = "deliveries";

const accountId = defineSearchAttributeKey("AccountId", "KEYWORD");
const subscriptionId = defineSearchAttributeKey("SubscriptionId", "KEYWORD");
const conversationId = defineSearchAttributeKey("ConversationId", "KEYWORD");
const appointmentId = defineSearchAttributeKey("AppointmentId", "KEYWORD");
const eventType = defineSearchAttributeKey("EventType", "KEYWORD");

/**
 * Starts the run of a row. Never throws. A run that exists or has existed counts as success. A
 * server that does not know our search attributes yet may refuse the start. The start is then
 * repeated without them.
 */
export async function startWorkflow(
  { isSearchable, ...options }: StartOptions,
  row: ClaimedRow,
): Promise<StartResult> {
  const searchable = isSearchable();
  const result = await tryToStart({ ...options, searchable }, row);
  const refused =
    typeof result === "object" && "error" in result && result.error === invalidArgument;
  if (!refused || !searchable) return result;
  return await tryToStart({ ...options, searchable: false }, row);
}

async function tryToStart(options: StartAttempt, row: ClaimedRow): Promise<StartResult> {
  try {
    const call = options.client.withDeadline(Date.now() + deadlineMs, () => tell(options, row));
    return await withLimit(deadlineMs, call);
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return "known";
    return classify(error);
  }
}

async function tell(options: StartAttempt, row: ClaimedRow): Promise<Told> {
  const { command } = row;
  if (row.kind === "delivery") return await startDelivery(options, row);
  if (command === null) throw new RowGoneError();
  else if (command.op === "signalDelivery") return await tellDelivery(options, row, command);
  else await startRequest(options, row, command);
  return "started";
}

const once = {
  workflowIdReusePolicy: "REJECT_DUPLICATE",
  workflowIdConflictPolicy: "USE_EXISTING",
  // Longer than an attempt, so that a local activity of 8 s needs no second task.
  workflowTaskTimeout: 15_000,
  requestEagerStart: true,
} as const;

async function startDelivery(options: StartAttempt, row: ClaimedRow): Promise<Told> {
  const { client, hostLimiter } = options;
  const { input, ...start } = deliveryStart(options, row);
  const key = runKey(input);
  // A run that sleeps first would keep its slot for all that time.
  const sleeps = input.notBefore !== undefined || input.attempted !== undefined;
  const hasSlot =
    !sleeps && hostLimiter.reserve(key, hostOf(row.partition_key), subscriptionOf(row));
  // Temporal may know of a row that was taken over. Its run then asks for a slot itself.
  if (!sleeps && !hasSlot && !row.taken_over) return { laterMs: fullHostMs };
  let here = false;
  try {
    const handle = await client.workflow.start("deliverWebhook", { ...start, args: [input] });
    here = handle.eagerlyStarted;
  } finally {
    // The first attempt is made elsewhere, or not at all.
    if (hasSlot && !here) hostLimiter.release(key, null);
  }
  return "started";
}

/**
 * Signals a delivery with `signalWithStart`: a signal before the run's start begins the same run.
 */
async function tellDelivery(
  options: StartAttempt,
  row: ClaimedRow,
  command: DeliveryCommand,
): Promise<"started" | "known"> {
  if (row.run !== command.run) return "known";
  const { input, ...start } = deliveryStart(options, row);
  const { signal } = command;
  const attemptsMade = signal === "retryNow" ? command.attemptsMade : undefined;
  const signalArgs = attemptsMade === undefined ? [] : [attemptsMade];
  const told = { ...start, args: [input], signal, signalArgs };
  await options.client.workflow.signalWithStart("deliverWebhook", told);
  return "started";
}

/** Start options of a delivery's run, equal for every caller. */
function deliveryStart({ naming, waitsMs, searchable }: StartAttempt, row: ClaimedRow) {
  const { delivery_id: deliveryId, run, workflow_id: workflowId, first_number: firstNumber } = row;
  if (deliveryId === null || run === null || workflowId === null || firstNumber === null) {
    throw new RowGoneError();
  }
  const attempted = findFailedAttempt(row);
  const input: DeliverWebhookInput = {
    accountId: row.account_id,
    deliveryId,
    run,
    firstNumber,
    waitsMs: [...waitsMs],
    searchable,
    ...(attempted === null ? laterThan(row.next_attempt_at) : { attempted }),
  };
  return {
    ...once,
    input,
    workflowId: naming(workflowId),
    taskQueue: naming(deliveryQueue),
    staticSummary: `${row.event_type} to subscription ${row.subscription_id}`,
    ...(searchable ? { typedSearchAttributes: attributesOf(row) } : {}),
  };
}

/**
 * The first attempt, if the relay made it and it failed. The run then begins with the rest of the
 * wait.
 */
function findFailedAttempt(row: ClaimedRow): FailedAttempt | null {
  if (row.state !== "waiting" || row.attempts_made !== 1 || row.via !== "relay") return null;
  const due = row.next_attempt_at ?? row.discard_at;
  return {
    state: "waiting",
    waitMs: due === null ? 0 : Math.max(0, due.getTime() - Date.now()),
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    statusCode: row.last_status_code,
    errorClass: row.last_error_class,
  };
}

/**
 * A run that continues after a hold keeps the time of its next attempt, unless that time has
 * passed.
 */
function laterThan(moment: Date | null): Pick<DeliverWebhookInput, "notBefore"> {
  if (moment === null || moment.getTime() <= Date.now()) return {};
  return { notBefore: moment.toISOString() };
}

function attributesOf(row: ClaimedRow): SearchAttributePair[] {
  const known: SearchAttributePair[] = [
    { key: accountId, value: String(row.account_id) },
    { key: subscriptionId, value: String(row.subscription_id) },
    { key: eventType, value: String(row.event_type) },
  ];
  if (row.conversation_id === null) return known;
  return [...known, { key: conversationId, value: String(row.conversation_id) }];
}

async function startRequest(
  { client, naming, searchable }: StartAttempt,
  row: ClaimedRow,
  command: WorkflowCommand,
): Promise<void> {
  const options = {
    ...once,
    ...(command.again === true ? { workflowIdReusePolicy: "ALLOW_DUPLICATE" as const } : {}),
    workflowId: naming(command.workflowId),
    taskQueue: naming(command.taskQueue),
    args: [command.input],
    staticSummary: command.summary,
    ...(searchable ? { typedSearchAttributes: attributesOfRequest(row.account_id, command) } : {}),
  };
  if (command.op === "start") await client.workflow.start(command.workflow, options);
  else await signalWorkflow(client, command, options);
}

/**
 * Uses `signalWithStart`, because a run that does not exist yet would refuse the signal and lose
 * it.
 */
async function signalWorkflow(
  client: Client,
  { workflow, signal = "" }: WorkflowCommand,
  options: WorkflowStartOptions & { args: unknown[] },
): Promise<void> {
  await client.workflow.signalWithStart(workflow, { ...options, signal, signalArgs: [] });
}

function attributesOfRequest(account: number, command: WorkflowCommand): SearchAttributePair[] {
  const known: SearchAttributePair[] = [{ key: accountId, value: String(account) }];
  const { conversationId: conversation, appointmentId: appointment } = command;
  if (conversation !== undefined) known.push({ key: conversationId, value: String(conversation) });
  if (appointment !== undefined) known.push({ key: appointmentId, value: String(appointment) });
  return known;
}

const invalidArgument = "INVALID_ARGUMENT";

/**
 * gRPC codes that mean a wrong request, which would always fail. FAILED_PRECONDITION and
 * UNIMPLEMENTED are not among them. A failover or a rollout in front of Temporal returns those two
 * for a while.
 */
const refusals = new Map([
  [3, invalidArgument],
  [11, "OUT_OF_RANGE"],
]);

function classify(error: unknown): { error: string; transient: boolean } {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (isGrpcServiceError(cause)) {
    const refusal = refusals.get(cause.code);
    return { error: refusal ?? `GRPC_${cause.code}`, transient: refusal === undefined };
  }
  if (error instanceof RowGoneError) return { error: "ROW_GONE", transient: false };
  return { error: nameOf(error), transient: true };
}

/** Class of an error: it names the problem without the values of the message. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name.slice(0, 64) : "UNKNOWN";
}
