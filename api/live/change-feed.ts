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

/** Dependencies of the feed. */
export interface ChangeFeedDeps {
  dataSource: DataSource;
  log: Logger;
}

/** The one loop of a process that reads changes, for all its open streams. */
export interface ChangeFeed {
  /** In the order in which they receive missed changes. */
  readonly streams: ReadonlySet<ChangeStream>;
  /**
   * Sends the stream every change of its account above its cursor. `lastSeq` was read before the
   * stream opened.
   */
  add(stream: ChangeStream, lastSeq: number): void;
  remove(stream: ChangeStream): void;
  /** Sends the next page to a stream whose reader has caught up. */
  flush(stream: ChangeStream): void;
  /** Resolves once the loop, which ends with its last stream, no longer uses the database. */
  idle(): Promise<void>;
}

interface FeedState extends ChangeFeedDeps {
  streams: Set<ChangeStream>;
  /** Live streams were sent every change up to this number. */
  head: number;
  /** Null while no stream is open. */
  loop: Promise<void> | null;
  /** True if the next pause is skipped, because something happened meanwhile. */
  woken: boolean;
  /** Ends the current pause. */
  endPause: () => void;
}

const pollMs = 200;
const idlePollMs = 500;
const firstBackoffMs = 250;
const maxBackoffMs = 2_000;
/** Number of streams that get a page of missed changes before the live ones are served again. */
const catchUpBatch = 20;

/** Creates the feed. It queries the database only while a stream is open. */
export function createChangeFeed(deps: ChangeFeedDeps): ChangeFeed {
  // Bounded: a stream ends with its connection, and a person has at most ten.
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
  // In the same turn: a stream added in between would find a loop that has ended.
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

/** One poll: numbers committed changes, sends new ones, and sends late streams what they missed. */
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

/** A database restored from a copy repeats numbers, so readers must not wait for the old ones. */
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
    // Changes beyond what a reader can take stay in the table until the reader has caught up.
    if (stream.isCongested()) stream.live = false;
    if (stream.live) stream.send(byAccount.get(stream.accountId) ?? []);
  }
  state.head = last.seq;
}

/** @returns true if a stream has more to catch up with and can take more now. */
async function catchUp(state: FeedState): Promise<boolean> {
  const late = [...state.streams].filter((stream) => !stream.live && !stream.isCongested());
  let more = late.length > catchUpBatch;
  for (const stream of late.slice(0, catchUpBatch)) {
    more = (await catchUpPage(state, stream)) || more;
  }
  return more;
}

/**
 * Sends one page of missed changes. The head stays the same meanwhile. So the stream joins the live
 * ones without a gap after its last page.
 */
async function catchUpPage(state: FeedState, stream: ChangeStream): Promise<boolean> {
  const { accountId, cursor: after } = stream;
  const range = { accountId, after, upTo: state.head };
  const changes = await listMissedChanges(state.dataSource.manager, range);
  if (changes === null) stream.reset(state.head);
  else stream.send(changes);
  stream.live = changes === null || changes.length < changePageSize;
  if (stream.live) return false;
  // Moves behind the other streams, which are served first.
  if (state.streams.delete(stream)) state.streams.add(stream);
  return true;
}
