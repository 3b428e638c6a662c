import type Router from "@koa/router";
import { listLiveWorkers, temporalStateOf } from "../core/services/heartbeats.ts";
import { measureOutbox } from "../core/services/outbox-claims.ts";
import { version } from "../core/version.ts";
import { oneStatement, snapshot, systemOf } from "../db/transaction.ts";
import type { Deps } from "./deps.ts";
import { asAppError } from "./errors.ts";

const patienceMs = 2_000;

/**
 * `/healthz` tells that the process answers; `/readyz` that it can do its work, which takes the
 * database alone. What else is up is told beside it: the age of the outbox, the workers seen lately.
 * A figure of an outbox too long to be read in a second is null.
 */
export function mountHealth({ dataSource }: Deps, router: Router): void {
  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok", version };
  });
  router.get("/readyz", async (ctx) => {
    try {
      const workers = await inTime(oneStatement(dataSource, systemOf(), listLiveWorkers));
      // However long the outbox is, calls are taken.
      const outbox = await snapshot(dataSource, systemOf(), measureOutbox);
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

async function inTime<T>(work: Promise<T>): Promise<T> {
  const slow = Object.assign(new Error("slow"), { code: "ETIMEDOUT" });
  const limit = new Promise<never>((_, reject) => {
    setTimeout(reject, patienceMs, slow).unref();
  });
  return await Promise.race([work, limit]);
}
