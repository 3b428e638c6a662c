// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * The wait after failed hand-over 1, 2, … of a message to its channel. A further failure is final.
 */
export const sendWaitsMs: readonly number[] = [
  secondMs,
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
];

/** The same after too many messages to one customer: Meta asks for 4^n seconds. */
export const pairWaitsMs: readonly number[] = [0, 1, 2, 3, 4, 5].map((n) => 4 ** n * secondMs);

/** For this long the limit of a number costs a message no try. */
export const freeLimitMs = 15 * minuteMs;

/** Wait after the limit of a number, while it costs no try. The pace of the number adds its own. */
export const limitWaitMs = 2 * secondMs;

/** A message is held for this long while its channel can send nothing. Then it fails. */
export const heldMs = 24 * 60 * minuteMs;

/** Refusals for the whole channel after which a message fails, where the channel itself is fine. */
export const maxBlockedTries = 6;

/** Wait for the channel's report on a message that may have arrived there or not. */
export const unknownWaitMs = 10 * minuteMs;

/** Pause between two reports of the sandbox on a message. */
export const reportPauseMs = 500;

/** Input of the workflow that sends one message: ids alone, since Temporal keeps the input. */
export type SendMessageInput = {
  accountId: number;
  messageId: number;
  /** True where steps run inside the workflow task. Runs of earlier versions lack it, and replay. */
  inTask?: true;
  /** True where the relay may have made a first try. The next one is then not before its time. */
  tried?: true;
  /** True in a run that goes on after trouble of the channel, with a new history. */
  afterTrouble?: boolean;
};

/** Outcome of handing a message to its channel: a value, since only our own faults are thrown. */
export type SendOutcome =
  /** Accepted; `reports` are statuses that this channel does not send by itself. */
  | { state: "sent"; reports: ("delivered" | "read")[] }
  /**
   * To be tried again after `waitMs`: the channel is in trouble, an older message goes first, the
   * pace of the number asks for it, the list of templates or the file is being read, or the caption
   * follows its file.
   */
  | {
      state: "waiting";
      waitMs: number;
      why: "channel" | "order" | "pace" | "templates" | "file" | "caption";
    }
  /** The network must get the file first. */
  | { state: "upload" }
  /** The channel can send nothing. A new run starts once it can. */
  | { state: "held" }
  /** The message left, and may have arrived or not. So it is not sent again. Rule C26. */
  | { state: "unknown" }
  | { state: "failed" | "cancelled" | "over" };
