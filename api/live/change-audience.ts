import type { DataSource } from "typeorm";
import {
  changePageSize,
  listMissedChanges,
  type NumberedChange,
} from "../../core/services/outbox/changes.ts";
import type { FeedAudience } from "./change-feed.ts";
import type { ChangeStream } from "./change-stream.ts";
import { createStreamGroups, type StreamGroups } from "./stream-groups.ts";

/** People's open streams, by account and by person. */
export interface ChangeAudience extends FeedAudience {
  readonly streams: ReadonlySet<ChangeStream>;
  readonly byPerson: StreamGroups<number, ChangeStream>;
  /**
   * Takes a stream. `head` is the feed's number, or the last number where the feed does not run. A
   * stream with a cursor below it first gets the changes in between.
   */
  add(stream: ChangeStream, head: number): void;
  remove(stream: ChangeStream): void;
}

interface Audience {
  dataSource: DataSource;
  byAccount: StreamGroups<number, ChangeStream>;
  /** Streams that are not live, in the order in which they receive missed changes. */
  late: Set<ChangeStream>;
  /** Number of the last change that live streams were sent. The feed's head follows it. */
  handedOn: number;
}

/** Number of streams that get a page of missed changes before the live ones are served again. */
const catchUpBatch = 20;

/** Creates the audience of people. */
export function createChangeAudience(dataSource: DataSource): ChangeAudience {
  // Bounded: a stream ends with its connection, and a person has at most ten.
  const streams = new Set<ChangeStream>();
  const byPerson = createStreamGroups<number, ChangeStream>();
  const audience: Audience = {
    dataSource,
    byAccount: createStreamGroups(),
    late: new Set(),
    handedOn: 0,
  };
  return {
    streams,
    byPerson,
    get size() {
      return streams.size;
    },
    add(stream, head) {
      streams.add(stream);
      byPerson.add(stream.userId, stream);
      audience.byAccount.add(stream.accountId, stream);
      stream.live = stream.cursor >= Math.max(head, audience.handedOn);
      if (!stream.live) audience.late.add(stream);
    },
    remove(stream) {
      streams.delete(stream);
      byPerson.remove(stream.userId, stream);
      audience.byAccount.remove(stream.accountId, stream);
      audience.late.delete(stream);
    },
    handOn(changes, head) {
      handOn(audience, changes, head);
      audience.handedOn = changes.at(-1)?.seq ?? audience.handedOn;
      return Promise.resolve();
    },
    catchUp: async (head) => await catchUp(audience, head),
    startOver() {
      audience.handedOn = 0;
      for (const stream of streams) stream.end("renumbered");
    },
  };
}

function handOn(
  { byAccount, late }: Audience,
  changes: readonly NumberedChange[],
  head: number,
): void {
  for (const [accountId, own] of groupByAccount(changes)) {
    for (const stream of byAccount.of(accountId)) {
      if (!stream.live) continue;
      if (!stream.isCongested()) {
        stream.send(own);
        continue;
      }
      // Changes beyond what a reader can take stay in the table until the reader has caught up.
      stream.live = false;
      stream.cursor = Math.max(stream.cursor, head);
      late.add(stream);
    }
  }
}

function groupByAccount(changes: readonly NumberedChange[]): Map<number, NumberedChange[]> {
  const groups = new Map<number, NumberedChange[]>();
  for (const change of changes) {
    const own = groups.get(change.account_id);
    if (own === undefined) groups.set(change.account_id, [change]);
    else own.push(change);
  }
  return groups;
}

async function catchUp(audience: Audience, head: number): Promise<boolean> {
  const ready = [...audience.late].filter((stream) => !stream.isCongested());
  let more = ready.length > catchUpBatch;
  for (const stream of ready.slice(0, catchUpBatch)) {
    more = (await catchUpPage(audience, stream, head)) || more;
  }
  return more;
}

/**
 * Sends one page of missed changes. The head stays the same meanwhile. So the stream joins the live
 * ones without a gap after its last page.
 */
async function catchUpPage(
  { dataSource, late }: Audience,
  stream: ChangeStream,
  head: number,
): Promise<boolean> {
  const { accountId, cursor: after } = stream;
  const range = { accountId, after, upTo: head };
  const changes = await listMissedChanges(dataSource.manager, range);
  if (changes === null) stream.reset(head);
  else stream.send(changes);
  stream.live = changes === null || changes.length < changePageSize;
  // A stream with more to come moves behind the other ones, which are served first.
  const isOpen = late.delete(stream);
  if (stream.live) return false;
  if (isOpen) late.add(stream);
  return true;
}
