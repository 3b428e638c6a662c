import type { Socket } from "node:net";

/** How lanes treat what they carry; shared by all connections of a proxy. */
export interface Conditions {
  latencyMs: number;
  jitterMs: number;
  silent: boolean;
  random: () => number;
}

/** One direction of a connection. */
export interface Lane {
  /** Passes on what is due; called when the conditions get better. */
  flush(): void;
}

/** What is said: bytes, that no more will come, or that the sender is gone. */
type Saying = Buffer | "end" | "gone";

interface Parcel {
  saying: Saying;
  dueAt: number;
}

/** A sender is stopped once so much of what it said has not been passed on, as full buffers would. */
const mostHeldBytes = 1_048_576;

/**
 * Carries what `source` says to `target`, in order and as late as the conditions have it.
 * @param judge sees each chunk as it comes; false: it is not to be passed on.
 */
export function createLane(
  source: Socket,
  target: Socket,
  conditions: Conditions,
  judge: (chunk: Buffer) => boolean,
): Lane {
  const parcels: Parcel[] = [];
  let heldBytes = 0;
  let lastDueAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (conditions.silent || target.destroyed) return;
    const now = performance.now();
    let first = parcels[0];
    while (first !== undefined && first.dueAt <= now) {
      parcels.shift();
      pass(first.saying);
      first = parcels[0];
    }
    if (heldBytes < mostHeldBytes && !target.writableNeedDrain) source.resume();
    if (first !== undefined) timer = setTimeout(flush, first.dueAt - now);
  }

  function pass(saying: Saying): void {
    if (saying === "end") target.end();
    // Nobody is there to hear an answer, so what is left to write is all.
    else if (saying === "gone") target.destroySoon();
    else {
      heldBytes -= saying.length;
      if (!target.write(saying)) source.pause();
    }
  }

  function take(saying: Saying): void {
    const { latencyMs, jitterMs, random } = conditions;
    lastDueAt = Math.max(lastDueAt, performance.now() + latencyMs + jitterMs * random());
    parcels.push({ saying, dueAt: lastDueAt });
    if (typeof saying !== "string") heldBytes += saying.length;
    if (heldBytes >= mostHeldBytes) source.pause();
    flush();
  }

  source.on("data", (chunk: Buffer) => void (judge(chunk) && take(chunk)));
  source.on("end", () => take("end"));
  source.on("close", () => take("gone"));
  target.on("drain", flush);
  target.on("close", () => clearTimeout(timer));
  return { flush };
}
