import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import { listSessions } from "../../core/services/accounts/users.ts";
import type { ChangeStream } from "./change-stream.ts";
import { eventBlock } from "./event-stream.ts";

/** The check of all logins that hold a stream of this process. */
export interface LoginCheck {
  /** Checks the stream's login from now on. */
  add(stream: ChangeStream, sessionHash: Buffer): void;
  remove(stream: ChangeStream): void;
  /** Checks no more, and resolves once the database is no longer used. */
  stop(): Promise<void>;
}

/** Logins in one query. */
const chunkSize = 500;

/**
 * Creates the check. It reads all logins together every `everyMs`, and ends the streams of those that
 * ended or moved. Without a stream it reads nothing.
 */
export function createLoginCheck(
  { dataSource, log }: { dataSource: DataSource; log: Logger },
  everyMs: number,
): LoginCheck {
  const hashes = new Map<ChangeStream, Buffer>();
  let timer: NodeJS.Timeout | null = null;
  let work: Promise<void> | null = null;
  const stopTimer = () => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const check = () => {
    work ??= checkAll(dataSource, hashes)
      // Without the database no new data is sent either. The next check decides.
      .catch((error: unknown) => log.debug({ err: error }, "live.not_checked"))
      .finally(() => {
        work = null;
      });
  };
  return {
    add(stream, sessionHash) {
      hashes.set(stream, sessionHash);
      timer ??= setInterval(check, everyMs).unref();
    },
    remove(stream) {
      hashes.delete(stream);
      if (hashes.size === 0) stopTimer();
    },
    async stop() {
      stopTimer();
      await work;
    },
  };
}

async function checkAll(
  dataSource: DataSource,
  hashes: ReadonlyMap<ChangeStream, Buffer>,
): Promise<void> {
  const streams = [...hashes].map(([stream, hash]) => ({ stream, hash: hash.toString("hex") }));
  // A person's tabs share a login.
  const distinct = [...new Set(streams.map(({ hash }) => hash))];
  for (let from = 0; from < distinct.length; from += chunkSize) {
    const chunk = new Set(distinct.slice(from, from + chunkSize));
    const wanted = Array.from(chunk, (hash) => Buffer.from(hash, "hex"));
    const sessions = await listSessions(dataSource.manager, wanted, new Date());
    for (const { stream, hash } of streams) {
      if (!chunk.has(hash)) continue;
      const session = sessions.get(hash);
      if (session?.userId === stream.userId && session.accountId === stream.accountId) continue;
      // The reader's data may belong to another account now, so it must read everything again.
      stream.end("login_ended", eventBlock("reset", null, {}));
    }
  }
}
