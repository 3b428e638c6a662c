import type { IncomingHttpHeaders } from "node:http";
import type { DeliveryState } from "../../core/model/workflow/delivery.ts";
import type { EventType } from "../../core/model/events.ts";

/** What a caller asked for, and how it ended for the caller; repeats of the same call included. */
export interface CallLine {
  /** `create`: `POST /contacts` of a new phone. `tag`, `inbound`: by a signed inbound call with an event id. */
  kind: "create" | "inbound" | "tag";
  accountId: number;
  phone: string;
  /** It has a key or an event id: it is asked for until its end is known. */
  repeatable: boolean;
  /** `unknown`: no try of it had an answer that says. */
  outcome: "accepted" | "refused" | "unknown";
}

/** One answer of the API, or none: status 0. */
export interface AnswerLine {
  at: number;
  ms: number;
  status: number;
  kind: CallLine["kind"];
}

/** Who wants which events, where. */
export interface SubscriptionLine {
  id: number;
  accountId: number;
  /** Its path at the sink. */
  path: string;
  secret: string;
  /** As the subscription has it: types and patterns. */
  events: string[];
}

export interface EventLine {
  id: string;
  accountId: number;
  type: EventType;
  contactId: number;
  body: Buffer;
  /** When it happened. */
  at: number;
}

export interface ContactLine {
  id: number;
  accountId: number;
  phone: string;
  tags: string[];
}

export interface DeliveryLine {
  id: number;
  accountId: number;
  eventId: string;
  subscriptionId: number;
  state: DeliveryState;
  run: number;
  /** Who made its first attempt. */
  via: "workflow" | "relay";
}

export interface AttemptLine {
  deliveryId: number;
  run: number;
  seq: number;
  number: number;
  /** How often it was written down to leave. */
  posts: number;
  statusCode: number | null;
}

/** One request as the sink had it. */
export interface PostLine {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Monotonic milliseconds, as all moments here. */
  at: number;
  /** The status it was answered with; null where it had no answer. */
  status: number | null;
}

/** A time in which nobody has to be on time. */
export interface Disturbance {
  from: number;
  to: number;
  /** What it held up may be late until then. */
  calmAt: number;
}

/** A fault that was injected. */
export interface FaultLine extends Disturbance {
  name: string;
  /** Attempts that it may have taken by surprise, so that they go once more; 0 if it cannot. */
  inFlight: number;
}

/** What the processes of the installation hold on to. */
export interface ResourceLine {
  /** `api-1`. */
  process: string;
  pid: number;
  residentMb: number;
  /** Sockets and files. */
  handles: number;
}

/** The three books, callers', MySQL's and receivers', and what was done to the installation meanwhile. */
export interface Ledger {
  calls: CallLine[];
  answers: AnswerLine[];
  subscriptions: SubscriptionLine[];
  events: EventLine[];
  contacts: ContactLine[];
  deliveries: DeliveryLine[];
  attempts: AttemptLine[];
  /** Notifications `delivery_discarded`: one key for each delivery and run. */
  discardNotices: { accountId: number; deliveryId: number; dedupeKey: string }[];
  /** What Temporal has yet to be told, parked rows included. */
  outboxRows: number;
  posts: PostLine[];
  faults: FaultLine[];
  /** When the machine had nothing to spare: it excuses what is late, and nothing else. */
  busy: Disturbance[];
  /** The wait after attempt 1, 2, … in milliseconds. */
  waitsMs: readonly number[];
  resources: {
    /** Before the first call and after the drain; only processes that lived through all of it count. */
    before: ResourceLine[];
    after: ResourceLine[];
    poolSize: number;
    databaseConnections: number;
    /** How many processes have a pool. */
    processes: number;
    receiverConnections: number;
  };
}
