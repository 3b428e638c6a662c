import { groupBy } from "./group-by.ts";
import type { CallLine, Ledger } from "./ledger.ts";

/**
 * I1. A call with an unknown outcome may have had its effect once, never twice. A repeatable call
 * gets an outcome. All calls are allowed, so none is refused. At least one is accepted, or the run
 * has tested nothing.
 */
export function judgeAccepted(ledger: Ledger): string[] {
  const effects = effectsOf(ledger);
  const breaches = ledger.calls
    .filter(({ kind }) => kind === "create")
    .flatMap((call) => judgeEffect(call, effects(call).created));
  const refused = ledger.calls
    .filter(({ outcome }) => outcome === "refused")
    .map(({ kind, accountId, phone }) => `${kind} of ${phone} in account ${accountId} was refused`);
  const failed = ledger.answers
    .filter(({ status }) => status >= 500 && status !== 503)
    .map(({ kind, status }) => `${kind} read ${status}`);
  const idle = ledger.calls.some(({ outcome }) => outcome === "accepted")
    ? []
    : ["no call was accepted"];
  return [
    ...breaches,
    ...refused,
    ...failed,
    ...idle,
    ...judgeEvents(ledger),
    ...judgeEnds(ledger),
  ];
}

/** I2. Each post belongs to a stored event, and to a delivery of the event to this path. */
export function judgeOrigin({ posts, subscriptions, deliveries }: Ledger): string[] {
  const paths = new Map(subscriptions.map(({ id, path }) => [id, path]));
  const known = new Set(
    deliveries.map(({ eventId, subscriptionId }) => `${eventId} ${paths.get(subscriptionId)}`),
  );
  return posts
    .map(({ headers, path }) => `${String(headers["x-service-event-id"])} ${path}`)
    .filter((post) => !known.has(post))
    .map((post) => `posted without a delivery: ${post}`);
}

/**
 * I6. No scenario cancels, pauses, disables, deletes or erases. So any other final state means a
 * lost event.
 */
export function judgeBalance({ deliveries, outboxRows }: Ledger): string[] {
  const others = deliveries.filter(({ state }) => state !== "delivered" && state !== "discarded");
  return [
    ...others.map(({ id, state }) => `delivery ${id} is ${state}`),
    ...(outboxRows === 0 ? [] : [`${outboxRows} rows are left in the outbox`]),
  ];
}

/**
 * I7. A call with an event id takes effect once, however often it is sent. It is repeated until it
 * succeeds.
 */
export function judgeInbound(ledger: Ledger): string[] {
  const effects = effectsOf(ledger);
  return ledger.calls.flatMap((call) => {
    if (call.kind === "create") return [];
    const { created, tagged } = effects(call);
    return judgeEffect(call, call.kind === "tag" ? tagged : created);
  });
}

/**
 * I10. A pool keeps its connections, and a heap keeps its size. So the limits are the size of the
 * pool, and the memory of a warmed-up process.
 */
export function judgeResources({ resources }: Ledger): string[] {
  const { before, after, poolSize, databaseConnections, processes, receiverConnections } =
    resources;
  const breaches = after.flatMap(({ process, pid, residentMb, handles }) => {
    const was = before.find((line) => line.pid === pid);
    if (was === undefined) return [];
    return [
      ...(handles > was.handles + poolSize + sparePerProcess
        ? [`${process} holds ${handles} handles, ${was.handles} before`]
        : []),
      ...(residentMb > was.residentMb + warmUpMb
        ? [`${process} holds ${residentMb} MB, ${was.residentMb} MB before`]
        : []),
    ];
  });
  if (databaseConnections > poolSize * processes)
    breaches.push(`${databaseConnections} connections to MySQL from ${processes} processes`);
  if (receiverConnections > 0)
    breaches.push(`${receiverConnections} connections to receivers are left`);
  return breaches;
}

const sparePerProcess = 8;
const warmUpMb = 250;

/** Effects of a call, found by its phone, which no other call of its kind has. */
function effectsOf({ contacts, events }: Ledger) {
  const byPhone = groupBy(contacts, ({ accountId, phone }) => `${accountId}:${phone}`);
  const byContact = groupBy(events, ({ contactId }) => contactId);
  return ({ accountId, phone }: CallLine): { created: number; tagged: number } => {
    const own = byPhone.get(`${accountId}:${phone}`) ?? [];
    const about = own.flatMap(({ id }) => byContact.get(id) ?? []);
    const made = about.filter(({ type }) => type === "contact.created");
    const changed = about.filter(({ type }) => type === "contact.updated");
    return {
      created: agreed(own.length, made.length),
      tagged: agreed(own.filter(({ tags }) => tags.length > 0).length, changed.length),
    };
  };
}

/**
 * A contact without its event, or an event without its contact, gives NaN, which is neither 0 nor
 * 1.
 */
function agreed(rows: number, events: number): number {
  return rows === events ? rows : Number.NaN;
}

function judgeEffect(line: CallLine, effects: number): string[] {
  const { kind, accountId, phone, repeatable, outcome } = line;
  const call = `${kind} of ${phone} in account ${accountId}`;
  const breaches = repeatable && outcome === "unknown" ? [`${call} never got through`] : [];
  const allowed = outcome === "accepted" ? [1] : outcome === "refused" ? [0] : [0, 1];
  if (allowed.includes(effects)) return breaches;
  const told = Number.isNaN(effects) ? "rows and events that do not agree" : `${effects} effects`;
  return [...breaches, `${call}, ${outcome}, has ${told}`];
}

function judgeEvents({ events, subscriptions, deliveries }: Ledger): string[] {
  const made = groupBy(deliveries, ({ eventId }) => eventId);
  return events.flatMap(({ id, accountId, type }) => {
    const wanted = subscriptions.filter(
      (one) => one.accountId === accountId && one.events.some((pattern) => isWanted(pattern, type)),
    );
    const expected = wanted.map((one) => one.id).toSorted((a, b) => a - b);
    const found = (made.get(id) ?? []).map((one) => one.subscriptionId).toSorted((a, b) => a - b);
    return expected.join() === found.join()
      ? []
      : [`event ${id} has deliveries to [${found.join()}] instead of [${expected.join()}]`];
  });
}

/**
 * Rule C39, implemented a second time, so that the product and the check do not share a mistake.
 */
function isWanted(pattern: string, type: string): boolean {
  return (
    pattern === "*" ||
    pattern === type ||
    (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))
  );
}

/**
 * A delivered delivery had a 2xx answer. A discarded one has exactly one notification (rule C49).
 */
function judgeEnds({ deliveries, subscriptions, posts, discardNotices }: Ledger): string[] {
  const paths = new Map(subscriptions.map(({ id, path }) => [id, path]));
  const taken = new Set(
    posts
      .filter(({ status }) => status !== null && status >= 200 && status < 300)
      .map(({ path, headers }) => `${String(headers["x-service-event-id"])} ${path}`),
  );
  const notices = groupBy(discardNotices, ({ deliveryId }) => deliveryId);
  return deliveries.flatMap(({ id, accountId, eventId, subscriptionId, state, run }) => {
    const told = notices.get(id) ?? [];
    const keys = told.map((notice) => `${notice.accountId} ${notice.dedupeKey}`).join();
    const expected = state === "discarded" ? `${accountId} discarded:${id}:${run}` : "";
    const breaches =
      keys === expected ? [] : [`delivery ${id}, ${state}, has the notices [${keys}]`];
    const arrived = taken.has(`${eventId} ${paths.get(subscriptionId)}`);
    if (state === "delivered" && !arrived) breaches.push(`delivery ${id} is delivered to nobody`);
    return breaches;
  });
}
