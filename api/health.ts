import type Router from "@koa/router";
import { listLiveWorkers, temporalStateOf } from "../core/services/operations/heartbeats.ts";
import { measureOutbox } from "../core/services/outbox/outbox-claims.ts";
import { version } from "../core/version.ts";
import { oneStatement, snapshot, systemOf, type Tx } from "../db/transaction.ts";
import type { Deps } from "./deps.ts";
import { asAppError } from "./http/errors.ts";

const figuresTimeoutMs = 2_000;

/** For how long figures are told again without another look: anybody may ask, as often as they like. */
const figuresMs = 2_000;

/**
 * `/healthz` tells that the process answers; `/readyz` that it can do its work, which takes the
 * database alone. What else is up is told beside it: the age of the outbox, the workers seen lately.
 * A figure of an outbox too long to be read in a second is null. Figures are up to 2 s old.
 */
export function mountHealth({ dataSource }: Deps, router: Router): void {
  const reach = shared(0, () => oneStatement(dataSource, systemOf(), reachDatabase));
  const readFigures = shared(figuresMs, async () => ({
    workers: await oneStatement(dataSource, systemOf(), listLiveWorkers),
    // However long the outbox is, calls are taken.
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

/** All who ask while `read` is under way share its result, and so do those of the next `keepMs`. */
function shared<T>(keepMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | null = null;
  return async () => {
    if (last !== null && performance.now() < last.until) return await last.result;
    const mine = { result: read(), until: Number.POSITIVE_INFINITY };
    last = mine;
    // A failure is not kept: who asks next tries anew.
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
