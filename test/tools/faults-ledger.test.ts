import { expect, test } from "vitest";
import { invariants, judgeLedger } from "../../tools/faults/invariants.ts";
import type {
  AnswerLine,
  CallLine,
  Ledger,
  PostLine,
  SubscriptionLine,
} from "../../tools/faults/ledger.ts";
import { countBusyMs } from "../../tools/faults/machine.ts";
import { countCalmMs } from "../../tools/faults/post-invariants.ts";
import { signBody } from "../../core/signature.ts";

const wanting = (id: number, accountId: number, path: string): SubscriptionLine => ({
  id,
  accountId,
  path,
  secret: `whsec_${id}`,
  events: ["contact.*"],
});
const ana = wanting(1, 1, "/1/ok");
const dead = wanting(2, 1, "/1/dead");
const other = wanting(3, 2, "/2/ok");
const waitsMs = [100, 200, 300, 400, 500, 600];
const bodyOf = (id: string) => Buffer.from(JSON.stringify({ event_id: id }));

function post(
  to: SubscriptionLine,
  eventId: string,
  number: number,
  at: number,
  status: number | null = 204,
): PostLine {
  const body = bodyOf(eventId);
  return {
    path: to.path,
    body,
    at,
    status,
    headers: {
      "x-service-event-id": eventId,
      "webhook-id": eventId,
      "x-service-attempt": String(number),
      "x-service-signature": signBody(to.secret, body),
    },
  };
}

const call = (
  kind: CallLine["kind"],
  accountId: number,
  phone: string,
  outcome: CallLine["outcome"],
  repeatable: boolean,
): CallLine => ({ kind, accountId, phone, outcome, repeatable });

const answer = (status: number): AnswerLine => ({ at: 0, ms: 5, status, kind: "create" });

/** Two accounts; one contact each, and one more by an inbound call that tags it; one dead receiver. */
function soundLedger(): Ledger {
  const events = [
    { id: "e1", accountId: 1, type: "contact.created" as const, contactId: 11 },
    { id: "e2", accountId: 2, type: "contact.created" as const, contactId: 21 },
    { id: "e3", accountId: 2, type: "contact.updated" as const, contactId: 21 },
  ].map((event) => ({ ...event, body: bodyOf(event.id), at: -10 }));
  const delivery = (
    id: number,
    to: SubscriptionLine,
    eventId: string,
    state: "delivered" | "discarded",
  ) => ({
    id,
    accountId: to.accountId,
    eventId,
    subscriptionId: to.id,
    state,
    run: 1,
    via: "workflow" as const,
  });
  const attempt = (deliveryId: number, number: number) => ({
    deliveryId,
    run: 1,
    seq: number,
    number,
    posts: 1,
    statusCode: 204,
  });
  const numbers = [1, 2, 3, 4, 5, 6];
  const starts = [0, 110, 320, 630, 1_040, 1_550];
  return {
    calls: [
      call("create", 1, "111", "accepted", false),
      call("inbound", 2, "222", "accepted", true),
      call("tag", 2, "222", "accepted", true),
      call("create", 1, "999", "unknown", false),
    ],
    // No answer, too early to tell, MySQL away, and one to each call that was accepted.
    answers: [0, 409, 503, 201, 200, 200].map(answer),
    subscriptions: [ana, dead, other],
    events,
    contacts: [
      { id: 11, accountId: 1, phone: "111", tags: [] },
      { id: 21, accountId: 2, phone: "222", tags: ["vip"] },
    ],
    deliveries: [
      delivery(101, ana, "e1", "delivered"),
      delivery(102, dead, "e1", "discarded"),
      delivery(103, other, "e2", "delivered"),
      delivery(104, other, "e3", "delivered"),
    ],
    attempts: [
      attempt(101, 1),
      ...numbers.map((n) => attempt(102, n)),
      attempt(103, 1),
      attempt(104, 1),
    ],
    discardNotices: [{ accountId: 1, deliveryId: 102, dedupeKey: "discarded:102:1" }],
    outboxRows: 0,
    posts: [
      post(ana, "e1", 1, 0),
      ...numbers.map((n) => post(dead, "e1", n, starts[n - 1] ?? 0, 500)),
      post(other, "e2", 1, 5),
      post(other, "e3", 1, 6),
    ],
    faults: [],
    busy: [],
    waitsMs,
    resources: {
      before: [{ process: "api-1", pid: 7, residentMb: 150, handles: 30 }],
      after: [{ process: "api-1", pid: 7, residentMb: 200, handles: 45 }],
      poolSize: 20,
      databaseConnections: 40,
      processes: 2,
      receiverConnections: 0,
    },
  };
}

/** The books with one thing changed. */
function spoiled(change: (ledger: Ledger) => void): Ledger {
  const ledger = soundLedger();
  change(ledger);
  return ledger;
}

function firstOf<T>(list: T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error("The list is empty.");
  return first;
}

test("sound books break nothing", () => {
  expect(judgeLedger(soundLedger())).toEqual([]);
});

test("an unknown call may have had its effect once", () => {
  const ledger = spoiled(({ calls }) => (firstOf(calls).outcome = "unknown"));
  expect(judgeLedger(ledger)).toEqual([]);
});

test("a repeat in a fault with attempts under way is allowed, and so are gaps that it made", () => {
  const ledger = spoiled(({ posts, attempts, faults }) => {
    posts.push(post(ana, "e1", 1, 9_000));
    firstOf(attempts).posts = 2;
    firstOf(posts.filter(({ path, at }) => path === dead.path && at === 1_550)).at = 8_000;
    faults.push({ name: "worker killed", from: 1_200, to: 1_300, calmAt: 1_300, inFlight: 1 });
  });
  expect(judgeLedger(ledger)).toEqual([]);
});

test("a run that takes over for a lost one repeats the number under way", () => {
  const ledger = spoiled(({ attempts, deliveries, posts, faults }) => {
    attempts.push({ ...firstOf(attempts), run: 2 });
    firstOf(deliveries).run = 2;
    posts.push(post(ana, "e1", 1, 900));
    faults.push({ name: "store rolled back", from: 100, to: 200, calmAt: 200, inFlight: 1 });
  });
  expect(judgeLedger(ledger)).toEqual([]);
});

test("a late attempt is none while the machine had nothing to spare, but an early one still is", () => {
  const machine = { from: 1_400, to: 2_400, calmAt: 5_400 };
  const late = spoiled(({ posts, busy }) => {
    firstOf(posts.slice(6)).at = 5_000;
    busy.push(machine);
  });
  expect(judgeLedger(late)).toEqual([]);
  const early = spoiled(({ posts, busy }) => {
    firstOf(posts.slice(6)).at = 1_500;
    busy.push(machine);
  });
  expect(judgeLedger(early).map(({ id }) => id)).toEqual(["I5"]);
});

test("an attempt follows one that was taken where its answer may have been lost", () => {
  const ledger = spoiled(({ posts, attempts, faults }) => {
    posts.push(post(ana, "e1", 2, 150));
    attempts.push({ ...firstOf(attempts), seq: 2, number: 2 });
    faults.push({ name: "receivers reset", from: 0, to: 40, calmAt: 40, inFlight: 0 });
  });
  expect(judgeLedger(ledger)).toEqual([]);
});

test("a first attempt may be late in a fault, and until what it held up has come", () => {
  const ledger = spoiled(({ events, faults }) => {
    firstOf(events).at = -9_000;
    faults.push({ name: "MySQL killed", from: -8_000, to: -7_000, calmAt: -1_000, inFlight: 0 });
  });
  expect(judgeLedger(ledger)).toEqual([]);
});

test("lateness is judged where there is no fault, and none before has still to be made up for", () => {
  const fault = (from: number, calmAt: number) => ({
    name: "f",
    from,
    to: from,
    calmAt,
    inFlight: 0,
  });
  expect(countCalmMs({ faults: [], busy: [] }, 100, 1_100)).toBe(1_000);
  const faults = [fault(700, 2_000), fault(200, 400), fault(0, 150)];
  const busy = [{ from: 300, to: 300, calmAt: 500 }];
  expect(countCalmMs({ faults, busy }, 100, 1_100)).toBe(50 + 200);
});

test("busy time counts as far as it lies within", () => {
  const busy = [
    { from: 0, to: 1_000, calmAt: 0 },
    { from: 3_000, to: 4_000, calmAt: 0 },
  ];
  expect(countBusyMs(busy, 500, 3_200)).toBe(700);
  expect(countBusyMs(busy, 1_500, 2_500)).toBe(0);
});

const breaches: Record<string, [what: string, change: (ledger: Ledger) => void][]> = {
  I1: [
    ["an accepted contact is gone", (l) => void (l.contacts = l.contacts.slice(1))],
    ["an accepted contact has no event", (l) => void (firstOf(l.events).contactId = 12)],
    [
      "an unknown call took effect twice",
      (l) => {
        for (const id of [31, 32]) {
          l.contacts.push({ id, accountId: 1, phone: "999", tags: [] });
        }
      },
    ],
    ["a refused call took effect", (l) => void (firstOf(l.calls).outcome = "refused")],
    ["a call was refused", (l) => void (firstOf(l.calls.slice(3)).outcome = "refused")],
    [
      "a call with a key never got through",
      (l) => void (firstOf(l.calls.slice(3)).repeatable = true),
    ],
    ["a call was answered with a 500", (l) => void l.answers.push(answer(500))],
    [
      "no call was accepted",
      (l) => {
        for (const call of l.calls) call.outcome = "unknown";
      },
    ],
    ["a subscription was left out", (l) => void l.deliveries.splice(0, 1)],
    [
      "a subscription got an event twice",
      (l) => void l.deliveries.push({ ...firstOf(l.deliveries), id: 9 }),
    ],
    ["delivered, but nobody took it", (l) => void (firstOf(l.posts).status = 500)],
    ["discarded without a notice", (l) => void (l.discardNotices = [])],
    [
      "discarded with two notices",
      (l) =>
        void l.discardNotices.push({ accountId: 1, deliveryId: 102, dedupeKey: "discarded:102:2" }),
    ],
    ["the notice is another account's", (l) => void (firstOf(l.discardNotices).accountId = 2)],
    [
      "delivered, and yet a notice",
      (l) =>
        void l.discardNotices.push({ accountId: 1, deliveryId: 101, dedupeKey: "discarded:101:1" }),
    ],
  ],
  I2: [["an event nobody stored", (l) => void l.posts.push(post(ana, "e9", 1, 50))]],
  I3: [
    ["other bytes", (l) => void (firstOf(l.posts).body = Buffer.from('{"event_id": "e1"}'))],
    ["two ids", (l) => void (firstOf(l.posts).headers["webhook-id"] = "e2")],
    ["no signature", (l) => void delete firstOf(l.posts).headers["x-service-signature"]],
    [
      "another subscription's secret",
      (l) =>
        void (firstOf(l.posts).headers["x-service-signature"] = signBody(
          dead.secret,
          bodyOf("e1"),
        )),
    ],
    [
      "a secret that two share",
      (l) => void (firstOf(l.subscriptions.slice(2)).secret = ana.secret),
    ],
  ],
  I4: [
    ["number 7", (l) => void (firstOf(l.posts).headers["x-service-attempt"] = "7")],
    [
      "a lower number after a higher one",
      (l) => void l.posts.push(post(dead, "e1", 5, 1_600, 500)),
    ],
    ["no number", (l) => void delete firstOf(l.posts).headers["x-service-attempt"]],
    ["a number skipped", (l) => void l.attempts.splice(3, 1)],
    ["discarded before the sixth", (l) => void l.attempts.splice(6, 1)],
    [
      "a number written down twice",
      (l) => void l.attempts.push({ ...firstOf(l.attempts), seq: 2 }),
    ],
  ],
  I5: [
    ["too early", (l) => void (firstOf(l.posts.slice(2)).at = 80)],
    ["too late", (l) => void (firstOf(l.posts.slice(6)).at = 5_000)],
    ["the first too late", (l) => void (firstOf(l.events).at = -5_100)],
    [
      "too early in a fault",
      (l) => {
        firstOf(l.posts.slice(2)).at = 80;
        l.faults.push({ name: "f", from: 0, to: 9_000, calmAt: 9_000, inFlight: 9 });
      },
    ],
  ],
  I6: [
    ["open", (l) => void (firstOf(l.deliveries).state = "waiting")],
    ["cancelled by nobody", (l) => void (firstOf(l.deliveries).state = "cancelled")],
    ["skipped, though nobody disabled it", (l) => void (firstOf(l.deliveries).state = "skipped")],
    ["held, though nobody paused it", (l) => void (firstOf(l.deliveries).state = "held")],
    ["in no known state", (l) => void (firstOf(l.deliveries).state = "lost" as never)],
    ["left in the outbox", (l) => void (l.outboxRows = 1)],
  ],
  I7: [
    ["an accepted upsert without effect", (l) => void (firstOf(l.calls.slice(1)).phone = "333")],
    [
      "an upsert with an event id never got through",
      (l) => void (firstOf(l.calls.slice(1)).outcome = "unknown"),
    ],
    ["a tag without its event", (l) => void l.events.pop()],
    [
      "a tag with two events",
      (l) => void l.events.push({ ...firstOf(l.events.slice(2)), id: "e4" }),
    ],
    ["a tag that is not there", (l) => void (firstOf(l.contacts.slice(1)).tags = [])],
  ],
  I8: [
    [
      "a repeat without a fault",
      (l) => {
        l.posts.push(post(ana, "e1", 1, 50));
        firstOf(l.attempts).posts = 2;
      },
    ],
    [
      "a repeat in a fault that disturbs no attempt",
      (l) => {
        l.posts.push(post(ana, "e1", 1, 50));
        firstOf(l.attempts).posts = 2;
        l.faults.push({ name: "temporal slow", from: 10, to: 40, calmAt: 40, inFlight: 0 });
      },
    ],
    [
      "more repeats than were under way",
      (l) => {
        l.posts.push(post(ana, "e1", 1, 50), post(other, "e2", 1, 50));
        for (const attempt of l.attempts) attempt.posts = 2;
        l.faults.push({ name: "worker killed", from: 10, to: 40, calmAt: 40, inFlight: 1 });
      },
    ],
    [
      "another attempt after one that was taken",
      (l) => {
        l.posts.push(post(ana, "e1", 2, 150));
        l.attempts.push({ ...firstOf(l.attempts), seq: 2, number: 2 });
      },
    ],
    [
      "another attempt after one that was taken, on a busy machine",
      (l) => {
        l.posts.push(post(ana, "e1", 2, 150));
        l.attempts.push({ ...firstOf(l.attempts), seq: 2, number: 2 });
        l.busy.push({ from: 0, to: 1_000, calmAt: 4_000 });
      },
    ],
    [
      "a repeat on a busy machine",
      (l) => {
        l.posts.push(post(ana, "e1", 1, 50));
        firstOf(l.attempts).posts = 2;
        l.busy.push({ from: 0, to: 1_000, calmAt: 4_000 });
      },
    ],
    [
      "more posts than were written down",
      (l) => {
        l.posts.push(post(ana, "e1", 1, 50));
        l.faults.push({ name: "worker killed", from: 10, to: 40, calmAt: 40, inFlight: 5 });
      },
    ],
  ],
  I9: [
    [
      "another account's event",
      (l) => void l.posts.push({ ...firstOf(l.posts), path: other.path }),
    ],
  ],
  I10: [
    ["handles", (l) => void (firstOf(l.resources.after).handles = 90)],
    ["memory", (l) => void (firstOf(l.resources.after).residentMb = 900)],
    ["connections to MySQL", (l) => void (l.resources.databaseConnections = 41)],
    ["connections to receivers", (l) => void (l.resources.receiverConnections = 1)],
  ],
};

const cases = Object.entries(breaches).flatMap(([id, list]) =>
  list.map(([what, change]) => ({ id, what, change })),
);

test.each(cases)("$id fails: $what", ({ id, change }) => {
  expect(judgeLedger(spoiled(change)).map((broken) => broken.id)).toContain(id);
});

test("every invariant has been seen to fail", () => {
  expect(Object.keys(breaches)).toEqual(invariants.map(({ id }) => id));
});
