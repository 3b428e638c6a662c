import { setTimeout as sleep } from "node:timers/promises";
import { dayMs } from "../../core/model/durations.ts";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { deleteSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { Child } from "../../dev/child.ts";
import { startGoogleStandIn, type GoogleStandIn } from "../../dev/stand-in/google-server.ts";
import { openReader } from "./event-reader.ts";
import { connectGoogleAgenda, pushedUrl } from "./google-agenda.ts";
import { percentile } from "./load.ts";
import { inMs } from "./print.ts";
import { rssMbOf } from "./start.ts";
import type { BenchStack } from "./stack.ts";

const calendarId = "ada@google.example";
/** One event in so many has a guest, and becomes an appointment. */
const visitEvery = 5;
const daysAhead = 80;
const quarterMs = 15 * 60_000;
const idleMs = 5_000;
const sampleMs = 100;
const limitMs = 600_000;
const pauseMs = 250;

/** First reading of a calendar, memory of its worker, and the time from an edit to the screen. */
export async function benchCalendars(stack: BenchStack, scale: number): Promise<string[][]> {
  const route = (address: string) => address.replace(pushedUrl, stack.apiUrl);
  const google = await startGoogleStandIn({ route });
  stack.onStop(google.close);
  await endDeliveries(stack);
  const total = Math.round(10_000 * scale);
  for (let index = 0; index < total; index += 1) addEvent(google, index);
  const worker = await stack.startWorker({ ...google.settings, PUBLIC_URL: pushedUrl });
  await sleep(idleMs);
  const first = await measureFirst(stack, google, worker);
  await until(() => google.channels().length > 0, "Nobody watches the calendar.");
  const edits = await measureEdits(stack, google, Math.max(10, Math.round(100 * scale)));
  return [
    [
      `first reading of ${total} events, ${Math.floor(total / visitEvery)} of them appointments (goal: 60 s)`,
      `${(first.ms / 1_000).toFixed(1)} s`,
    ],
    ["more memory of the worker, at most (goal: 50 MB)", `${first.growth.toFixed(0)} MB`],
    ["an edit at Google to a stream of the Dashboard: p50", inMs(percentile(edits, 0.5))],
    ["p99 (goal: 2 s)", inMs(percentile(edits, 0.99))],
  ];
}

/** Runs of deliveries of new contacts would count as memory of the reading. */
async function endDeliveries({ dataSource, accountId }: BenchStack): Promise<void> {
  const rows = await dataSource.query<{ id: number }[]>(
    "SELECT id FROM subscriptions WHERE account_id = ?",
    [accountId],
  );
  await transaction(dataSource, systemOf(accountId), async (tx) => {
    for (const { id } of rows) await deleteSubscription(tx, Number(id));
  });
}

/** Events of a quarter of an hour, spread over the horizon. */
function addEvent(google: GoogleStandIn, index: number): void {
  const places = (daysAhead * dayMs) / quarterMs;
  const place = Math.ceil(Date.now() / quarterMs) + 4 + (index % places);
  const at = (quarter: number) => ({ dateTime: new Date(quarter * quarterMs).toISOString() });
  const times = { start: at(place), end: at(place + 1) };
  const isVisit = index % visitEvery === 0;
  const email = `guest${index}@example.com`;
  const guests = isVisit ? { attendees: [{ email, displayName: `Guest ${index}` }] } : {};
  google.insert(calendarId, { summary: `Event ${index}`, ...guests, ...times });
}

async function measureFirst(
  { dataSource, secretBox, accountId }: BenchStack,
  google: GoogleStandIn,
  worker: Child,
): Promise<{ ms: number; growth: number }> {
  const before = rssMbOf(worker);
  let most = before;
  const sampler = setInterval(() => (most = Math.max(most, rssMbOf(worker))), sampleMs);
  const startedAt = performance.now();
  const place = { accountId, calendarId, refreshToken: google.grant(calendarId) };
  const { linkId } = await connectGoogleAgenda({ dataSource, secretBox }, place);
  const isRead = async (): Promise<boolean> => {
    const [row] = await dataSource.query<{ read: number }[]>(
      "SELECT last_synced_at IS NOT NULL AS `read` FROM calendar_links WHERE id = ?",
      [linkId],
    );
    return Number(row?.read) === 1;
  };
  try {
    await until(isRead, "The calendar was not read.");
  } finally {
    clearInterval(sampler);
  }
  return { ms: performance.now() - startedAt, growth: most - before };
}

/** Milliseconds from an edit of the calendar's owner to its change at a stream of the Dashboard. */
async function measureEdits(
  stack: BenchStack,
  google: GoogleStandIn,
  count: number,
): Promise<number[]> {
  const token = await logIn(stack);
  let changes = 0;
  const { socket } = openReader({
    url: stack.apiUrl,
    path: "/dashboard/api/stream",
    headers: { cookie: `parley_session=${token}` },
    onEvent(_, data) {
      if (data.includes("appointment.updated")) changes += 1;
    },
  });
  await sleep(idleMs);
  const [visit] = google.list(calendarId).filter(({ attendees }) => attendees !== undefined);
  if (visit === undefined) throw new Error("There is no appointment to move.");
  const samples: number[] = [];
  for (let edit = 0; edit < count; edit += 1) {
    const before = changes;
    const editedAt = performance.now();
    const start = new Date(Date.now() + dayMs + edit * quarterMs);
    const end = new Date(start.getTime() + quarterMs);
    const times = {
      start: { dateTime: start.toISOString() },
      end: { dateTime: end.toISOString() },
    };
    google.change(calendarId, visit.id, times);
    await until(() => changes > before, "The change did not arrive.", 5);
    samples.push(performance.now() - editedAt);
    await sleep(pauseMs);
  }
  socket.destroy();
  return samples;
}

async function logIn({ dataSource, accountId }: BenchStack): Promise<string> {
  return await transaction(dataSource, systemOf(accountId), async (tx) => {
    const passwordHash = "hash";
    const person = { email: "bench@example.com", name: "Bench", passwordHash };
    const { userId } = await createMember(tx, { ...person, role: "admin" });
    const login = { accountId, userAgent: null };
    return (await createSession(tx, { userId, passwordHash }, login)).token;
  });
}

async function until(
  isTrue: () => boolean | Promise<boolean>,
  otherwise: string,
  everyMs = 50,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    if (await isTrue()) return;
    await sleep(everyMs);
  }
  throw new Error(otherwise);
}
