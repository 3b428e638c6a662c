import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import {
  changePageSize,
  listNewChanges,
  numberChanges,
  readChangeSequence,
  type NumberedChange,
} from "../../core/services/outbox/changes.ts";
import { onCommittedChange, systemOf, transaction } from "../../db/transaction.ts";

/** Dependencies of the feed. */
export interface ChangeFeedDeps {
  dataSource: DataSource;
  log: Logger;
}

/** Open streams of one kind, as the feed sees them. */
export interface FeedAudience {
  /** Number of open streams. */
  readonly size: number;
  /** Sends new changes to the live streams, which were sent every change up to `head`. */
  handOn(changes: readonly NumberedChange[], head: number): Promise<void>;
  /**
   * Sends a part of what they missed to streams that are not live.
   * @returns true if a stream has more to catch up with and can take more now.
   */
  catchUp(head: number): Promise<boolean>;
  /** Ends all streams: the numbers begin again. */
  startOver(): void;
}

/** The one loop of a process that reads changes, for all its open streams. */
export interface ChangeFeed {
  /**
   * Polls at once. Starts the loop with the first stream. A head that is not known yet becomes
   * `lastSeq`.
   */
  wake(lastSeq?: number): void;
  /** Number up to which live streams were sent every change; null while no stream is open. */
  readonly head: number | null;
  /** Resolves once the loop, which ends with its last stream, no longer uses the database. */
  idle(): Promise<void>;
}

interface FeedState extends ChangeFeedDeps {
  audiences: readonly FeedAudience[];
  head: number | null;
  /** Null while no stream is open. */
  loop: Promise<void> | null;
  /** True if the next pause is skipped, because something happened meanwhile. */
  woken: boolean;
  /** Ends the current pause. */
  endPause: () => void;
  /** Duration of the last poll. */
  lastPollMs: number;
}

const pollMs = 200;
const idlePollMs = 500;
/** Commits of this time share one poll. */
const commitMs = 20;
const firstBackoffMs = 250;
const maxBackoffMs = 2_000;

/** Creates the feed. It queries the database only while an audience has a stream. */
export function createChangeFeed(
  deps: ChangeFeedDeps,
  audiences: readonly FeedAudience[],
): ChangeFeed {
  const endPause = () => undefined;
  const start = { head: null, loop: null, woken: false, endPause, lastPollMs: 0 };
  const state: FeedState = { ...deps, ...start, audiences };
  return {
    get head() {
      return state.head;
    },
    wake(lastSeq) {
      if (hasStreams(state)) {
        state.head ??= lastSeq ?? null;
        state.loop ??= runLoop(state);
      }
      wake(state);
    },
    async idle() {
      await state.loop;
    },
  };
}

function hasStreams({ audiences }: FeedState): boolean {
  return audiences.some(({ size }) => size > 0);
}

function wake(state: FeedState): void {
  state.woken = true;
  state.endPause();
}

async function runLoop(state: FeedState): Promise<void> {
  const stopListening = listenToCommits(state);
  let pauseMs = pollMs;
  let backoffMs = firstBackoffMs;
  while (hasStreams(state)) {
    state.woken = false;
    const startedAt = performance.now();
    try {
      const { found, more } = await advance(state);
      state.lastPollMs = performance.now() - startedAt;
      backoffMs = firstBackoffMs;
      pauseMs = found ? pollMs : Math.min(pauseMs * 1.1, idlePollMs);
      if (!more) await pause(state, pauseMs);
    } catch (error) {
      state.log.warn({ err: error }, "live.not_read");
      await pause(state, backoffMs * (0.5 + Math.random() / 2));
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
    }
  }
  stopListening();
  // In the same turn: a stream added in between would find a loop that has ended.
  state.head = null;
  state.loop = null;
}

/**
 * Polls soon after a commit of this process. Under load, polls take a fifth of the time at most, and
 * the usual poll remains.
 */
function listenToCommits(state: FeedState): () => void {
  let timer: NodeJS.Timeout | null = null;
  const stop = onCommittedChange(state.dataSource, () => {
    timer ??= setTimeout(
      () => {
        timer = null;
        wake(state);
      },
      Math.min(Math.max(commitMs, 4 * state.lastPollMs), pollMs),
    );
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
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
  const { dataSource, audiences } = state;
  const before = state.head;
  const { lastSeq, unnumbered } = await readChangeSequence(dataSource.manager);
  state.head ??= lastSeq;
  if (before !== null && lastSeq < before) startOver(state, lastSeq);
  const numbered = unnumbered ? await transaction(dataSource, systemOf(), numberChanges) : 0;
  const isNew = numbered > 0 || lastSeq > state.head;
  const changes = isNew ? await listNewChanges(dataSource.manager, state.head) : [];
  const last = changes.at(-1);
  if (last !== undefined) {
    for (const audience of audiences) await audience.handOn(changes, state.head);
    state.head = last.seq;
  }
  let more = changes.length === changePageSize;
  for (const audience of audiences) more = (await audience.catchUp(state.head)) || more;
  return { found: changes.length > 0, more };
}

/** A database restored from a copy repeats numbers, so readers must not wait for the old ones. */
function startOver(state: FeedState, lastSeq: number): void {
  state.head = lastSeq;
  for (const audience of state.audiences) audience.startOver();
}
