import { expect } from "vitest";
import { verifySignature } from "../../core/signature.ts";
import type { ContactCall } from "./contact-load.ts";
import { eventually } from "./eventually.ts";
import type { ProcessFixture } from "./process-fixture.ts";
import type { Posted } from "./sink.ts";

interface DeliveryLine {
  id: number;
  event: string;
  state: string;
  attempts_made: number;
}

interface AttemptLine {
  delivery_id: number;
  seq: number;
  number: number;
  posts: number;
}

/** A killed worker's work comes back after up to 25 s, and a busy machine may take a minute for the rest. */
const settledWithinMs = 120_000;

/**
 * Waits until nothing is under way, then holds what callers, database and receiver know against each
 * other: every accepted contact and every stored event was delivered, nothing else was posted, bytes
 * and ids never change, attempts are numbered without gaps and counted once.
 * @returns how many posts were repeats of an attempt.
 */
export async function settleLedger(
  { database, sink, secret }: ProcessFixture,
  calls: ContactCall[],
): Promise<number> {
  const { dataSource } = database;
  await eventually(async () => {
    // What the outbox says of its rows is there to be read where they do not leave it.
    const [open] = await dataSource.query<Record<string, unknown>[]>(
      `SELECT (SELECT COUNT(*) FROM deliveries WHERE state <> 'delivered') AS deliveries,
              COUNT(*) AS outbox, COUNT(parked_at) AS parked, MAX(attempts) AS tries,
              MAX(last_error) AS last_error FROM outbox`,
    );
    expect(open).toEqual({ deliveries: 0, outbox: 0, parked: 0, tries: null, last_error: null });
  }, settledWithinMs);

  const events = await dataSource.query<{ event: string; contact_id: number; body: Buffer }[]>(
    "SELECT BIN_TO_UUID(id) AS event, contact_id, body FROM events",
  );
  const deliveries = await dataSource.query<DeliveryLine[]>(
    "SELECT id, BIN_TO_UUID(event_id) AS event, state, attempts_made FROM deliveries",
  );
  const attempts = await dataSource.query<AttemptLine[]>(
    "SELECT delivery_id, seq, number, posts FROM delivery_attempts ORDER BY delivery_id, seq",
  );
  const contacts = await dataSource.query<{ id: number }[]>("SELECT id FROM contacts ORDER BY id");
  const created = events.map(({ contact_id }) => contact_id).toSorted((a, b) => a - b);
  expect(created, "one event for each contact").toEqual(contacts.map(({ id }) => id));
  expect(deliveries.map(({ event }) => event).toSorted()).toEqual(
    events.map(({ event }) => event).toSorted(),
  );
  for (const { contactId } of calls.filter(({ status }) => status === 200 || status === 201)) {
    expect(created, "an accepted contact has its event").toContain(contactId);
  }

  const posts = groupPosts(sink.posts);
  const bodies = new Map(events.map(({ event, body }) => [event, body]));
  expect([...posts.keys()].toSorted(), "posted ids are the stored ones").toEqual(
    [...bodies.keys()].toSorted(),
  );
  let repeats = 0;
  for (const delivery of deliveries) {
    const own = posts.get(delivery.event) ?? [];
    for (const post of own) expectGenuine(post, bodies.get(delivery.event), secret);
    repeats += expectNumbers(
      own.map(attemptOf),
      delivery,
      attempts.filter(({ delivery_id }) => delivery_id === delivery.id),
    );
  }
  return repeats;
}

function groupPosts(posts: Posted[]): Map<string, Posted[]> {
  const groups = new Map<string, Posted[]>();
  for (const post of posts) {
    const id = String(post.headers["x-service-event-id"]);
    groups.set(id, [...(groups.get(id) ?? []), post]);
  }
  return groups;
}

/** The number that a post carries. */
export function attemptOf(post: Posted): number {
  return Number(post.headers["x-service-attempt"]);
}

function expectGenuine(post: Posted, body: Buffer | undefined, secret: string): void {
  expect(post.body.equals(body ?? Buffer.alloc(0)), "the stored bytes").toBe(true);
  const id = post.headers["x-service-event-id"];
  expect(post.headers["webhook-id"]).toBe(id);
  expect(JSON.parse(post.body.toString())).toMatchObject({ event_id: id });
  const signature = String(post.headers["x-service-signature"]);
  expect(verifySignature(signature, secret, post.body), "the signature").toBe(true);
}

/** @returns how many of the posts, by their numbers as they arrived, repeat an attempt. */
function expectNumbers(arrived: number[], delivery: DeliveryLine, rows: AttemptLine[]): number {
  expect(arrived, "never a lower number after a higher one").toEqual(
    arrived.toSorted((a, b) => a - b),
  );
  const expected = Array.from({ length: delivery.attempts_made }, (_, index) => index + 1);
  expect([...new Set(arrived)], "no number skipped, none above those counted").toEqual(expected);
  expect(rows.map(({ seq }) => seq)).toEqual(expected);
  expect(rows.map(({ number }) => number)).toEqual(expected);
  for (const { number, posts } of rows) {
    const seen = arrived.filter((one) => one === number).length;
    // A crash between the row and the POST leaves one counted that never arrived.
    expect(seen, `posts of attempt ${number}`).toBeLessThanOrEqual(posts);
  }
  return arrived.length - expected.length;
}
