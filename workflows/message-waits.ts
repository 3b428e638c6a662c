import {
  continueAsNew,
  patched,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import { formatWait } from "../core/model/workflow/delivery.ts";
import type { SendMessageInput, SendOutcome } from "../core/model/workflow/sending.ts";

type Waiting = Extract<SendOutcome, { state: "waiting" }>;
type Run = (input: SendMessageInput) => Promise<{ state: SendOutcome["state"] }>;

const reasons = {
  channel: "the channel is in trouble",
  order: "an older message goes first",
  pace: "the number sends at its pace",
  templates: "the list of templates is being read",
  file: "the file is being fetched",
  caption: "the caption follows its file",
} as const;

/** Waits as the last hand-over asked. Operators read the reason. */
export async function waitForTry({ waitMs, why }: Waiting): Promise<void> {
  const reason = reasons[why];
  setCurrentDetails(`Waiting ${formatWait(waitMs)}: ${reason}.`);
  await sleep(waitMs, { summary: `wait ${formatWait(waitMs)}: ${reason}` });
}

/**
 * Begins a new history once the history is long. A message may wait for days behind a file, and
 * Temporal ends a run of 51,200 events.
 */
export async function beginAnewIfLong(
  input: SendMessageInput,
  afterTrouble: boolean,
): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || !patched("anew-after-a-wait")) return;
  await continueAsNew<Run>({ ...input, afterTrouble });
}
