import type { Socket } from "node:net";

/** Conditions of the network, shared by all connections of a proxy. */
export interface Conditions {
  latencyMs: number;
  jitterMs: number;
  silent: boolean;
  random: () => number;
}

/** One direction of a connection. */
export interface Lane {
  /** Passes on data that is due. Called when the conditions improve. */
  flush(): void;
}

/** An item to pass on: bytes, the end of the stream, or the loss of the sender. */
type Saying = Buffer | "end" | "gone";

interface Parcel {
  saying: Saying;
  dueAt: number;
}

/**
 * Limit in bytes of the data that waits to be passed on. Above it the sender is paused, as with
 * full buffers.
 */
const mostHeldBytes = 1_048_576;

/**
 * Carries data from `source` to `target`, in order and with the delay of the conditions.
 * @param judge sees each chunk when it arrives; false drops the chunk
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
    // The sender is gone and cannot receive an answer, so only the remaining data is written.
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
