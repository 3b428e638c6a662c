import { groupBy } from "./group-by.ts";
import type { CallLine, Ledger } from "./ledger.ts";

/**
 * I1. A call without a known end may have had its effect, but not twice; one that is asked for again has
 * an end. No caller asks for what it may not have, so none is refused; where nothing is accepted at all,
 * nothing was tried.
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

/** I2. A post is of an event that is stored, and of a delivery of it to this very path. */
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

/** I6. Nobody cancels, pauses, disables, deletes or erases here: with any other end an event was lost. */
export function judgeBalance({ deliveries, outboxRows }: Ledger): string[] {
  const others = deliveries.filter(({ state }) => state !== "delivered" && state !== "discarded");
  return [
    ...others.map(({ id, state }) => `delivery ${id} is ${state}`),
    ...(outboxRows === 0 ? [] : [`${outboxRows} rows are left in the outbox`]),
  ];
}

/** I7. However often a call with an event id is sent; it is sent until it gets through. */
export function judgeInbound(ledger: Ledger): string[] {
  const effects = effectsOf(ledger);
  return ledger.calls.flatMap((call) => {
    if (call.kind === "create") return [];
    const { created, tagged } = effects(call);
    return judgeEffect(call, call.kind === "tag" ? tagged : created);
  });
}

/**
 * I10. A pool keeps its connections and a heap what it has grown to, so both are held against their
 * bounds: the pool's size, and the memory that a process of ours has when it is warm.
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

/** The effects that a call may have had, by its phone, which no other call of its kind has. */
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

/** A row without its event, or the other way round, is an effect of neither 0 nor 1. */
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

/** Written anew, so that it does not share a mistake with the product. Source: contract, Events. */
function isWanted(pattern: string, type: string): boolean {
  return (
    pattern === "*" ||
    pattern === type ||
    (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))
  );
}

/** A delivery that counts as delivered was answered so; a discarded one is told of once. */
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
