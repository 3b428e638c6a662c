import type { IncomingHttpHeaders } from "node:http";
import type { DeliveryState } from "../../core/model/workflow/delivery.ts";
import type { EventType } from "../../core/model/event-types.ts";

/** A call with its outcome for the caller, including repeats of the same call. */
export interface CallLine {
  /**
   * `create`: `POST /contacts` with a new phone. `tag` and `inbound`: a signed inbound call with an
   * event id.
   */
  kind: "create" | "inbound" | "tag";
  accountId: number;
  phone: string;
  /** True for a call with a key or an event id. It is repeated until its outcome is known. */
  repeatable: boolean;
  /** `unknown`: no answer to any of its tries shows the outcome. */
  outcome: "accepted" | "refused" | "unknown";
}

/** An answer of the API; status 0 where none arrived. */
export interface AnswerLine {
  at: number;
  ms: number;
  status: number;
  kind: CallLine["kind"];
}

/** A subscription with its path and secret. */
export interface SubscriptionLine {
  id: number;
  accountId: number;
  /** Path at the sink. */
  path: string;
  secret: string;
  /** Event types and patterns of the subscription. */
  events: string[];
}

export interface EventLine {
  id: string;
  accountId: number;
  type: EventType;
  contactId: number;
  body: Buffer;
  /** Time of the event. */
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
  /** Maker of the first attempt. */
  via: "workflow" | "relay";
}

export interface AttemptLine {
  deliveryId: number;
  run: number;
  seq: number;
  number: number;
  /** Number of posts that the row records. */
  posts: number;
  statusCode: number | null;
}

/** A request that the sink received. */
export interface PostLine {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Monotonic time in ms, like all times here. */
  at: number;
  /** Status of the answer; null where none was sent. */
  status: number | null;
}

/** A period in which lateness is excused. */
export interface Disturbance {
  from: number;
  to: number;
  /** End of the time in which delayed work may still be late. */
  calmAt: number;
}

/** A fault that was injected. */
export interface FaultLine extends Disturbance {
  name: string;
  /**
   * Number of attempts that the fault may have interrupted, which may be repeated; 0 where it
   * cannot interrupt any.
   */
  inFlight: number;
}

/** Memory and handles of a process. */
export interface ResourceLine {
  /** Name such as `api-1`. */
  process: string;
  pid: number;
  residentMb: number;
  /** Number of open sockets and files. */
  handles: number;
}

/**
 * The three books of callers, MySQL and receivers, with the faults and load of the machine
 * meanwhile.
 */
export interface Ledger {
  calls: CallLine[];
  answers: AnswerLine[];
  subscriptions: SubscriptionLine[];
  events: EventLine[];
  contacts: ContactLine[];
  deliveries: DeliveryLine[];
  attempts: AttemptLine[];
  /** Notifications `delivery_discarded`, with one key per delivery and run. */
  discardNotices: { accountId: number; deliveryId: number; dedupeKey: string }[];
  /** Number of outbox rows that Temporal has not got yet, including parked rows. */
  outboxRows: number;
  posts: PostLine[];
  faults: FaultLine[];
  /** Periods in which the machine had no idle CPU. They excuse lateness only. */
  busy: Disturbance[];
  /** Waits after attempt 1, 2, … in ms. */
  waitsMs: readonly number[];
  resources: {
    /** Before the first call and after the drain. Only processes that ran all the time count. */
    before: ResourceLine[];
    after: ResourceLine[];
    poolSize: number;
    databaseConnections: number;
    /** Number of processes with a pool. */
    processes: number;
    receiverConnections: number;
  };
}
