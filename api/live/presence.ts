import { randomUUID } from "node:crypto";
import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import type { HeartbeatState, StoredHeartbeat, ViewerView } from "../../core/model/presence.ts";
import {
  listPresenceVersions,
  readPresence,
  storePresence,
} from "../../core/services/conversations/process-presence.ts";
import type { ChangeStream } from "./change-stream.ts";
import type { StreamGroups } from "./stream-groups.ts";
import type { VisitAudience } from "./visit-audience.ts";

/** A person in a conversation. */
export interface Viewer {
  accountId: number;
  conversationId: number;
  userId: number;
}

/** Durations of presence. */
export interface PresenceTimes {
  /** A person counts as viewing for this long after a heartbeat. */
  viewingMs: number;
  typingMs: number;
  /** The row of this process is written at most once in this time. */
  writeMs: number;
  /** Rows of other processes are read once in this time. */
  readMs: number;
  tickMs: number;
}

/** People who look at conversations, as one API process knows them. */
export interface Presence {
  /** Takes a heartbeat. @returns everybody else in the conversation. */
  beat(who: Viewer, state: HeartbeatState): ViewerView[];
  /** Tells people in a conversation of web chat that its visitor types, or has stopped. */
  visitorTypes(where: Omit<Viewer, "userId">, isTyping: boolean): void;
  /** Tells a new stream which visitors type in the conversations that its person looks at. */
  tellTyping(stream: ChangeStream): void;
  /** Resolves once the database is no longer used. Others see the people until they expire. */
  stop(): Promise<void>;
}

interface PresenceDeps {
  dataSource: DataSource;
  log: Logger;
  /** Open streams of this process, by person. */
  byPerson: StreamGroups<number, ChangeStream>;
  /** Visitors' streams of this process. They hear of people who type. */
  visitors: Pick<VisitAudience, "size" | "tellTyping">;
}

/** The last heartbeat of a person in a conversation. */
interface Heartbeat {
  userId: number;
  state: HeartbeatState;
  /** By the clock of this process. */
  at: number;
}

/** The last heartbeat of each person in each conversation. */
type Heartbeats = Map<string, Map<number, Heartbeat>>;

interface PresenceBook extends PresenceDeps {
  times: PresenceTimes;
  processId: string;
  /** Heartbeats that came to this process. */
  own: Heartbeats;
  /** Heartbeats that came to other processes, by process. */
  others: Map<string, { version: number; heartbeats: Heartbeats }>;
  /** The people of each conversation as streams were last told. */
  told: Map<string, ViewerView[]>;
  changed: boolean;
  nextWrite: number;
  nextRead: number;
  work: Promise<void> | null;
}

const defaultTimes: PresenceTimes = {
  viewingMs: 25_000,
  typingMs: 6_000,
  writeMs: 1_000,
  readMs: 500,
  tickMs: 250,
};
/** Stands for the visitor of a conversation among the ids of people. */
const visitorId = 0;
/** Pause after the database refused. */
const troubleMs = 5_000;

/**
 * Creates the presence of an API process. Heartbeats stay in memory. Processes exchange them by one
 * row each, which is written at most once a second and only after a heartbeat. A keystroke costs no
 * row.
 */
export function createPresence(deps: PresenceDeps, times = defaultTimes): Presence {
  const book: PresenceBook = {
    ...deps,
    times,
    processId: randomUUID(),
    own: new Map(),
    others: new Map(),
    told: new Map(),
    changed: false,
    nextWrite: 0,
    nextRead: 0,
    work: null,
  };
  const timer = setInterval(() => tick(book), times.tickMs).unref();
  return {
    beat(who, state) {
      const place = placeOf(who);
      take(book, place, { userId: who.userId, state, at: performance.now() });
      return withoutPerson(book.told.get(place) ?? [], who.userId);
    },
    visitorTypes(where, isTyping) {
      const state = isTyping ? "typing" : "left";
      take(book, placeOf(where), { userId: visitorId, state, at: performance.now() });
    },
    tellTyping(stream) {
      for (const [place, people] of book.told) {
        const [accountId, conversationId] = idsOf(place);
        const isThere = people.some(({ user_id: id }) => id === stream.userId);
        if (accountId !== stream.accountId || !isThere || !isVisitorTyping(people)) continue;
        stream.tell("typing", { conversation_id: conversationId, is_typing: true });
      }
    },
    async stop() {
      clearInterval(timer);
      await book.work;
    },
  };
}

function take(book: PresenceBook, place: string, heartbeat: Heartbeat): void {
  put(book.own, place, heartbeat);
  book.changed = true;
  announce(book, [place]);
}

function placeOf({ accountId, conversationId }: Pick<Viewer, "accountId" | "conversationId">) {
  return `${accountId}:${conversationId}`;
}

function idsOf(place: string): [accountId: number, conversationId: number] {
  const [accountId = 0, conversationId = 0] = place.split(":").map(Number);
  return [accountId, conversationId];
}

function put(heartbeats: Heartbeats, place: string, heartbeat: Heartbeat): void {
  const known = heartbeats.get(place);
  if (known === undefined) heartbeats.set(place, new Map([[heartbeat.userId, heartbeat]]));
  else known.set(heartbeat.userId, heartbeat);
}

function tick(book: PresenceBook): void {
  forgetOld(book);
  announceAll(book);
  const now = performance.now();
  const writes = book.changed && now >= book.nextWrite;
  // Without a listener or a heartbeat, the database is left alone.
  const reads = now >= book.nextRead && (isHeard(book) || book.own.size > 0);
  if (book.work !== null || !(writes || reads)) return;
  book.work = exchange(book, { writes, reads }).finally(() => {
    book.work = null;
  });
}

function isHeard({ byPerson, visitors }: PresenceBook): boolean {
  return byPerson.size > 0 || visitors.size > 0;
}

function forgetOld({ own, times }: PresenceBook): void {
  const oldest = performance.now() - times.viewingMs;
  for (const [place, people] of own) {
    for (const [userId, { at }] of people) if (at <= oldest) people.delete(userId);
    if (people.size === 0) own.delete(place);
  }
}

async function exchange(
  book: PresenceBook,
  { writes, reads }: { writes: boolean; reads: boolean },
): Promise<void> {
  try {
    if (writes) await write(book);
    if (reads) await read(book);
  } catch (error) {
    book.changed ||= writes;
    book.nextWrite = book.nextRead = performance.now() + troubleMs;
    book.log.warn({ err: error }, "presence.not_exchanged");
  }
}

async function write(book: PresenceBook): Promise<void> {
  const now = performance.now();
  book.nextWrite = now + book.times.writeMs;
  book.changed = false;
  const heartbeats = [...book.own].flatMap(([place, people]) => {
    const [accountId, conversationId] = idsOf(place);
    return [...people.values()].map(({ userId, at, state }): StoredHeartbeat => [
      accountId,
      conversationId,
      userId,
      Math.round(now - at),
      state,
    ]);
  });
  await storePresence(book.dataSource.manager, book.processId, heartbeats);
}

async function read(book: PresenceBook): Promise<void> {
  const { dataSource, others } = book;
  book.nextRead = performance.now() + book.times.readMs;
  const versions = await listPresenceVersions(dataSource.manager, book.processId);
  for (const processId of others.keys()) if (!versions.has(processId)) others.delete(processId);
  const changed = [...versions].filter(([id, version]) => others.get(id)?.version !== version);
  const rows = await readPresence(
    dataSource.manager,
    changed.map(([id]) => id),
  );
  for (const { processId, version, ageMs, heartbeats: stored } of rows) {
    const writtenAt = performance.now() - ageMs;
    const heartbeats: Heartbeats = new Map();
    for (const [accountId, conversationId, userId, age, state] of stored) {
      const place = placeOf({ accountId, conversationId });
      put(heartbeats, place, { userId, state, at: writtenAt - age });
    }
    others.set(processId, { version, heartbeats });
  }
  if (rows.length > 0) announceAll(book);
}

function announceAll(book: PresenceBook): void {
  const known = [book.told, book.own, ...[...book.others.values()].map((one) => one.heartbeats)];
  announce(book, new Set(known.flatMap((places) => [...places.keys()])));
}

/** Tells streams of those conversations whose people have changed. */
function announce(book: PresenceBook, places: Iterable<string>): void {
  for (const place of places) {
    const before = book.told.get(place) ?? [];
    const after = listPeople(book, place);
    if (isSame(before, after)) continue;
    if (after.length === 0) book.told.delete(place);
    else book.told.set(place, after);
    tellStreams(book, place, before, after);
    tellVisitors(book, place, after);
  }
}

/** Visitors hear that somebody types, and not who. */
function tellVisitors({ visitors }: PresenceBook, place: string, people: ViewerView[]): void {
  const [, conversationId] = idsOf(place);
  const isTyping = withoutPerson(people, visitorId).some(({ state }) => state === "typing");
  visitors.tellTyping(conversationId, isTyping);
}

/** The people of a conversation by id. Of two heartbeats of a person the newer one counts. */
function listPeople({ own, others, times }: PresenceBook, place: string): ViewerView[] {
  const now = performance.now();
  const newest = new Map<number, Heartbeat>();
  for (const heartbeats of [own, ...[...others.values()].map((one) => one.heartbeats)]) {
    for (const heartbeat of heartbeats.get(place)?.values() ?? []) {
      const known = newest.get(heartbeat.userId);
      if (known === undefined || known.at < heartbeat.at) newest.set(heartbeat.userId, heartbeat);
    }
  }
  return [...newest.values()]
    .filter(({ state, at }) => state !== "left" && now - at < times.viewingMs)
    .sort((one, other) => one.userId - other.userId)
    .map(({ userId, state, at }) => {
      const types = state === "typing" && now - at < times.typingMs;
      return { user_id: userId, state: types ? ("typing" as const) : ("viewing" as const) };
    })
    .filter((one) => one.user_id !== visitorId || one.state === "typing");
}

/** Each viewer hears of the others alone, and only where those have changed. */
function tellStreams(
  { byPerson }: PresenceBook,
  place: string,
  before: ViewerView[],
  after: ViewerView[],
): void {
  const [accountId, conversationId] = idsOf(place);
  const wasTyping = isVisitorTyping(before);
  const isTyping = isVisitorTyping(after);
  for (const { user_id: userId } of after) {
    const viewers = withoutPerson(after, userId);
    // A new viewer has heard nothing yet: another process may have answered the heartbeat.
    const wasThere = before.some(({ user_id: id }) => id === userId);
    const hasOthers = !isSame(wasThere ? withoutPerson(before, userId) : [], viewers);
    const hasTyping = isTyping !== (wasThere && wasTyping);
    for (const stream of byPerson.of(userId)) {
      if (stream.accountId !== accountId) continue;
      if (hasOthers) stream.tell("presence", { conversation_id: conversationId, viewers });
      if (hasTyping) {
        stream.tell("typing", { conversation_id: conversationId, is_typing: isTyping });
      }
    }
  }
}

function isVisitorTyping(people: ViewerView[]): boolean {
  return people.some(({ user_id: id }) => id === visitorId);
}

/** Everybody else. The visitor is no person of the account, and has an event of their own. */
function withoutPerson(people: ViewerView[], userId: number): ViewerView[] {
  return people.filter(({ user_id: id }) => id !== userId && id !== visitorId);
}

function isSame(one: ViewerView[], other: ViewerView[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ user_id: id, state }, index) => {
      const twin = other[index];
      return twin?.user_id === id && twin.state === state;
    })
  );
}
