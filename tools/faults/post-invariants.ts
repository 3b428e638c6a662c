import { createHmac } from "node:crypto";
import { maxAttempts } from "../../core/model/workflow/delivery.ts";
import { groupBy } from "./group-by.ts";
import type { Disturbance, FaultLine, Ledger, PostLine } from "./ledger.ts";

/**
 * I3. Both headers and the body have the same id, and only the secret of the subscription signed
 * the body.
 */
export function judgeBytes({ posts, events, subscriptions }: Ledger): string[] {
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  return posts.flatMap((post) => {
    const id = String(post.headers["x-service-event-id"]);
    const stored = bodies.get(id);
    const wrong: string[] = [];
    if (stored === undefined || !stored.equals(post.body)) wrong.push("other bytes than stored");
    if (post.headers["webhook-id"] !== id || idIn(post.body) !== id) wrong.push("two ids");
    const signature = String(post.headers["x-service-signature"]);
    const signers = subscriptions.filter(({ secret }) => sign(secret, post.body) === signature);
    if (signers.map(({ path }) => path).join() !== post.path)
      wrong.push(`signed by [${signers.map(({ id: signer }) => signer).join()}]`);
    return wrong.map((what) => `${what}: event ${id} at ${post.path}`);
  });
}

/**
 * Rule C52, implemented a second time, so that the product and the check do not share a mistake.
 */
function sign(secret: string, body: Buffer): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/**
 * I4. Checks the numbers at the sink, and in the rows, which may have a number that never arrived.
 */
export function judgeNumbers({ posts, deliveries, attempts }: Ledger): string[] {
  const breaches = [...pairs(posts)].flatMap(([pair, own]) => {
    const numbers = own.map(numberOf);
    const inRange = numbers.every((number) => number >= 1 && number <= maxAttempts);
    const rising = numbers.every(
      (number, index) => index === 0 || number >= (numbers[index - 1] ?? 0),
    );
    return inRange && rising ? [] : [`${pair} came as attempts ${numbers.join()}`];
  });
  const rows = groupBy(attempts, ({ deliveryId }) => deliveryId);
  for (const { id, eventId, subscriptionId, state } of deliveries) {
    const own = rows.get(id) ?? [];
    const inOrder = own.toSorted((a, b) => a.run - b.run || a.seq - b.seq);
    const numbers = inOrder.map(({ number }) => number);
    // A run that replaces a lost one repeats the number of the interrupted attempt.
    const counted = inOrder.filter(({ number, run }, index) => {
      const previous = inOrder[index - 1];
      return previous === undefined || previous.number !== number || previous.run === run;
    });
    const inRow = counted.every(({ number }, index) => number === index + 1);
    const isGivenUp = state === "discarded" && numbers.at(-1) !== maxAttempts;
    if (!inRow || isGivenUp)
      breaches.push(
        `${eventId} to ${subscriptionId}, ${state}, has the attempts ${numbers.join()} written down`,
      );
  }
  return breaches;
}

/** Tolerance in ms, for clocks of whole milliseconds and a timer that may fire 1 ms early. */
const earlyMs = 15;
const lateMs = 2_000;
const lateShare = 0.1;
/** Limit in ms from an event to its first post, on a machine with other work. */
const firstWithinMs = 5_000;

/**
 * I5. Checks two times: from an event to its first post, and from the last post of a number to the
 * next number.
 */
export function judgeGaps(ledger: Ledger): string[] {
  return [...judgeFirsts(ledger), ...judgeWaits(ledger)];
}

/** Time in ms in which lateness was checked. */
export function countCalmMs(
  { faults, busy }: Pick<Ledger, "faults" | "busy">,
  from: number,
  until: number,
): number {
  let calmMs = 0;
  let at = from;
  for (const one of [...faults, ...busy].toSorted((a, b) => a.from - b.from)) {
    calmMs += Math.max(0, Math.min(one.from, until) - at);
    at = Math.max(at, one.calmAt);
  }
  return calmMs + Math.max(0, until - at);
}

function isCalm(disturbances: readonly Disturbance[], from: number, until: number): boolean {
  return !disturbances.some((one) => one.from <= until && one.calmAt >= from);
}

function judgeFirsts({ posts, events, faults, busy }: Ledger): string[] {
  const disturbances = [...faults, ...busy];
  const moments = new Map(events.map(({ id, at }) => [id, at]));
  return [...pairs(posts)].flatMap(([pair, [first]]) => {
    const at = first === undefined ? undefined : moments.get(idIn(first.body));
    if (first === undefined || at === undefined) return [];
    const late = first.at - at > firstWithinMs && isCalm(disturbances, at, first.at);
    return late ? [`${pair}: first came ${(first.at - at).toFixed(0)} ms after its event`] : [];
  });
}

function judgeWaits({ posts, waitsMs, faults, busy }: Ledger): string[] {
  const disturbances = [...faults, ...busy];
  return [...pairs(posts)].flatMap(([pair, own]) =>
    own.slice(1).flatMap((post, index) => {
      const previous = own[index];
      const waitMs = previous === undefined ? undefined : waitsMs[numberOf(previous) - 1];
      if (previous === undefined || waitMs === undefined) return [];
      // A number that never arrived would merge two waits into one, and a repeat has no wait.
      if (numberOf(post) !== numberOf(previous) + 1) return [];
      const gapMs = post.at - previous.at;
      const calm = isCalm(disturbances, previous.at, post.at);
      const late = calm && gapMs > waitMs * (1 + lateShare) + lateMs;
      if (gapMs >= waitMs - earlyMs && !late) return [];
      return [`${pair}: attempt ${numberOf(post)} came after ${gapMs.toFixed(0)} of ${waitMs} ms`];
    }),
  );
}

/** Number of posts of an attempt beyond its first. */
export function countRepeats(posts: readonly PostLine[]): number {
  return repeatsOf(posts).length;
}

/** Number of repeats that the faults explain. */
export function countAllowedRepeats(faults: readonly FaultLine[]): number {
  return faults.reduce((sum, { inFlight }) => sum + inFlight, 0);
}

/** After a 2xx no attempt follows, unless a fault may have lost the answer. */
function judgeTaken({ posts, faults }: Ledger): string[] {
  return [...pairs(posts)].flatMap(([pair, own]) =>
    own.flatMap((post, index) => {
      const previous = own[index - 1];
      if (previous === undefined || numberOf(post) === numberOf(previous)) return [];
      const taken = previous.status !== null && previous.status >= 200 && previous.status < 300;
      if (!taken || faults.some((fault) => overlaps(fault, previous.at, post.at))) return [];
      return [`${pair}: attempt ${numberOf(post)} came though the one before had been taken`];
    }),
  );
}

/** I8. Also checks that no attempt arrived more often than its row records. */
export function judgeRepeats(ledger: Ledger): string[] {
  const { posts, faults, deliveries, subscriptions, attempts } = ledger;
  const repeats = repeatsOf(posts);
  const breaches = repeats
    .filter(
      ({ first, again }) =>
        !faults.some((fault) => fault.inFlight > 0 && overlaps(fault, first.at, again.at)),
    )
    .map(({ pair, again }) => `${pair}: attempt ${numberOf(again)} came again without a fault`);
  const allowed = countAllowedRepeats(faults);
  if (countRepeats(posts) > allowed)
    breaches.push(`${repeats.length} repeats, ${allowed} were under way`);
  const paths = new Map(subscriptions.map(({ id, path }) => [id, path]));
  const names = new Map(
    deliveries.map(({ id, eventId, subscriptionId }) => [
      id,
      `${eventId} at ${paths.get(subscriptionId)}`,
    ]),
  );
  const arrived = pairs(posts);
  for (const { deliveryId, number, seen } of countSeen(attempts, names, arrived)) {
    breaches.push(
      `delivery ${deliveryId}: attempt ${number} came ${seen} times, more than written down`,
    );
  }
  return [...breaches, ...judgeTaken(ledger)];
}

/** I9. Compares the accounts of event and path. The id of the event is from the body. */
export function judgeTenants({ posts, events, subscriptions }: Ledger): string[] {
  const owners = new Map(events.map(({ id, accountId }) => [id, accountId]));
  const readers = new Map(subscriptions.map(({ path, accountId }) => [path, accountId]));
  return posts.flatMap(({ path, body }) => {
    const id = idIn(body);
    const owner = owners.get(id);
    return owner !== undefined && owner === readers.get(path)
      ? []
      : [`event ${id} of account ${owner} arrived at ${path}`];
  });
}

/** Number of the attempt in a post. */
export function numberOf({ headers }: Pick<PostLine, "headers">): number {
  return Number(headers["x-service-attempt"]);
}

function idIn(body: Buffer): string {
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    return typeof parsed === "object" && parsed !== null
      ? String(Reflect.get(parsed, "event_id"))
      : "";
  } catch {
    return "";
  }
}

/** The posts of each event at each path, in order of arrival. */
function pairs(posts: readonly PostLine[]): Map<string, PostLine[]> {
  return groupBy(
    posts,
    ({ headers, path }) => `${String(headers["x-service-event-id"])} at ${path}`,
  );
}

function repeatsOf(posts: readonly PostLine[]) {
  return [...pairs(posts)].flatMap(([pair, own]) =>
    own.flatMap((again, index) => {
      const first = own.slice(0, index).findLast((post) => numberOf(post) === numberOf(again));
      return first === undefined ? [] : [{ pair, first, again }];
    }),
  );
}

function countSeen(
  attempts: Ledger["attempts"],
  names: Map<number, string>,
  arrived: Map<string, PostLine[]>,
): { deliveryId: number; number: number; seen: number }[] {
  const rows = groupBy(attempts, ({ deliveryId, number }) => `${deliveryId} ${number}`);
  return [...rows.values()].flatMap((same) => {
    const [{ deliveryId, number } = { deliveryId: 0, number: 0 }] = same;
    const written = same.reduce((sum, { posts }) => sum + posts, 0);
    const own = arrived.get(names.get(deliveryId) ?? "") ?? [];
    const seen = own.filter((post) => numberOf(post) === number).length;
    return seen > written ? [{ deliveryId, number, seen }] : [];
  });
}

function overlaps({ from, to }: FaultLine, start: number, end: number): boolean {
  return from <= end && to >= start;
}
