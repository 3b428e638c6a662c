import type Router from "@koa/router";
import { listLiveWorkers, temporalStateOf } from "../core/services/operations/heartbeats.ts";
import { measureOutbox } from "../core/services/outbox/outbox-claims.ts";
import { version } from "../core/version.ts";
import { oneStatement, snapshot, systemOf, type Tx } from "../db/transaction.ts";
import type { Deps } from "./deps.ts";
import { asAppError } from "./http/errors.ts";

const figuresTimeoutMs = 2_000;

/** Time for which figures are reused, because anyone may call as often as they like. */
const figuresMs = 2_000;

/**
 * `/healthz` says that the process answers. `/readyz` says that it can do its work, for which it
 * needs only the database. Its answer also holds the age of the outbox and the live workers. The
 * figures of an outbox that takes over a second to read are null. Figures are up to 2 s old.
 */
export function mountHealth({ dataSource }: Deps, router: Router): void {
  const reach = shared(0, () => oneStatement(dataSource, systemOf(), reachDatabase));
  const readFigures = shared(figuresMs, async () => ({
    workers: await oneStatement(dataSource, systemOf(), listLiveWorkers),
    // A long outbox does not make the process unready: it still takes calls.
    outbox: await snapshot(dataSource, systemOf(), measureOutbox),
  }));
  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok", version };
  });
  router.get("/readyz", async (ctx) => {
    try {
      await inTime(reach());
      const { workers, outbox } = await readFigures();
      ctx.body = {
        status: "ready",
        version,
        database: "reached",
        outbox: {
          rows: outbox.rows,
          oldest_seconds: outbox.oldestSeconds,
          parked: outbox.parked,
        },
        temporal: temporalStateOf(workers),
        workers: workers.length,
      };
    } catch (error) {
      ctx.status = 503;
      ctx.set("Retry-After", "5");
      ctx.body = { status: "not_ready", version, database: asAppError(error).code };
    }
  });
}

async function reachDatabase({ manager }: Tx): Promise<void> {
  await manager.query("SELECT 1");
}

/** Callers share the result of `read` while it runs, and for `keepMs` after. */
function shared<T>(keepMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | null = null;
  return async () => {
    if (last !== null && performance.now() < last.until) return await last.result;
    const mine = { result: read(), until: Number.POSITIVE_INFINITY };
    last = mine;
    // A failure is not kept: the next call reads again.
    const end = (ms: number) => () => void (mine.until = performance.now() + ms);
    mine.result.then(end(keepMs), end(0));
    return await mine.result;
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const slow = Object.assign(new Error("slow"), { code: "ETIMEDOUT" });
  const limit = new Promise<never>((_, reject) => {
    setTimeout(reject, figuresTimeoutMs, slow).unref();
  });
  return await Promise.race([work, limit]);
}
