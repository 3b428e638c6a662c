import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import {
  changePageSize,
  listMissedChanges,
  listNewChanges,
  numberChanges,
  readChangeSequence,
  type NumberedChange,
} from "../../core/services/outbox/changes.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { ChangeStream } from "./change-stream.ts";

/** What the feed is made of. */
export interface ChangeFeedDeps {
  dataSource: DataSource;
  log: Logger;
}

/** The one loop of a process that reads changes, for all streams that are open in it. */
export interface ChangeFeed {
  /** In the order in which they are given what they missed. */
  readonly streams: ReadonlySet<ChangeStream>;
  /** Gives the stream every change of its account above its cursor. `lastSeq` was read before it opened. */
  add(stream: ChangeStream, lastSeq: number): void;
  remove(stream: ChangeStream): void;
  /** A stream that was given no more than its reader took is given the next page. */
  flush(stream: ChangeStream): void;
  /** Resolves when the loop, which ends with its last stream, no longer uses the database. */
  idle(): Promise<void>;
}

interface FeedState extends ChangeFeedDeps {
  streams: Set<ChangeStream>;
  /** Live streams were given every change up to this number. */
  head: number;
  /** Null while no stream is open. */
  loop: Promise<void> | null;
  /** Whether the next pause is left out, since something happened meanwhile. */
  woken: boolean;
  /** Ends the pause under way. */
  endPause: () => void;
}

const pollMs = 200;
const idlePollMs = 500;
const firstBackoffMs = 250;
const maxBackoffMs = 2_000;
/** How many streams are given a page of what they missed before the live ones have their turn again. */
const catchUpBatch = 20;

/** Makes the feed. It asks the database only while a stream is open. */
export function createChangeFeed(deps: ChangeFeedDeps): ChangeFeed {
  // Each leaves with its connection, of which a person has ten at most.
  const streams = new Set<ChangeStream>();
  const endPause = () => undefined;
  const state: FeedState = { ...deps, streams, head: 0, loop: null, woken: false, endPause };
  return {
    streams,
    add(stream, lastSeq) {
      streams.add(stream);
      if (state.loop === null) state.head = lastSeq;
      stream.live = stream.cursor >= state.head;
      state.loop ??= runLoop(state);
      wake(state);
    },
    remove(stream) {
      streams.delete(stream);
      if (streams.size === 0) wake(state);
    },
    flush(stream) {
      if (!stream.live) wake(state);
    },
    async idle() {
      await state.loop;
    },
  };
}

function wake(state: FeedState): void {
  state.woken = true;
  state.endPause();
}

async function runLoop(state: FeedState): Promise<void> {
  let pauseMs = pollMs;
  let backoffMs = firstBackoffMs;
  while (state.streams.size > 0) {
    state.woken = false;
    try {
      const { found, more } = await advance(state);
      backoffMs = firstBackoffMs;
      pauseMs = found ? pollMs : Math.min(pauseMs * 1.1, idlePollMs);
      if (!more) await pause(state, pauseMs);
    } catch (error) {
      state.log.warn({ err: error }, "live.not_read");
      await pause(state, backoffMs * (0.5 + Math.random() / 2));
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
    }
  }
  // Not a turn later: a stream added in between would find a loop that is over.
  state.loop = null;
}

async function pause(state: FeedState, ms: number): Promise<void> {
  if (state.woken) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    state.endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** One look: numbers what is committed, hands on what is new, and gives late streams what they missed. */
async function advance(state: FeedState): Promise<{ found: boolean; more: boolean }> {
  const { dataSource } = state;
  const { lastSeq, unnumbered } = await readChangeSequence(dataSource.manager);
  if (lastSeq < state.head) startOver(state, lastSeq);
  const numbered = unnumbered ? await transaction(dataSource, systemOf(), numberChanges) : 0;
  const isNew = numbered > 0 || lastSeq > state.head;
  const changes = isNew ? await listNewChanges(dataSource.manager, state.head) : [];
  handOn(state, changes);
  const late = await catchUp(state);
  return { found: changes.length > 0, more: late || changes.length === changePageSize };
}

/** A database restored from a copy gives numbers again; readers must not wait for the old ones. */
function startOver(state: FeedState, lastSeq: number): void {
  state.head = lastSeq;
  for (const stream of state.streams) stream.end("renumbered");
}

function handOn(state: FeedState, changes: NumberedChange[]): void {
  const last = changes.at(-1);
  if (last === undefined) return;
  const byAccount = new Map<number, NumberedChange[]>();
  for (const change of changes) {
    const own = byAccount.get(change.account_id);
    if (own === undefined) byAccount.set(change.account_id, [change]);
    else own.push(change);
  }
  for (const stream of state.streams) {
    // What is too much for a reader now stays in the table until they have taken the rest.
    if (stream.isCongested()) stream.live = false;
    if (stream.live) stream.send(byAccount.get(stream.accountId) ?? []);
  }
  state.head = last.seq;
}

/** @returns whether some stream has more to catch up with and can take it now. */
async function catchUp(state: FeedState): Promise<boolean> {
  const late = [...state.streams].filter((stream) => !stream.live && !stream.isCongested());
  let more = late.length > catchUpBatch;
  for (const stream of late.slice(0, catchUpBatch)) {
    more = (await catchUpPage(state, stream)) || more;
  }
  return more;
}

/** The head stands still meanwhile, so that a stream whose last page this was joins without a gap. */
async function catchUpPage(state: FeedState, stream: ChangeStream): Promise<boolean> {
  const { accountId, cursor: after } = stream;
  const range = { accountId, after, upTo: state.head };
  const changes = await listMissedChanges(state.dataSource.manager, range);
  if (changes === null) stream.reset(state.head);
  else stream.send(changes);
  stream.live = changes === null || changes.length < changePageSize;
  if (stream.live) return false;
  // Behind the others, which have their turn first.
  if (state.streams.delete(stream)) state.streams.add(stream);
  return true;
}
