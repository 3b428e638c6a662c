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

/** Null: the end of the stream. */
interface Parcel {
  chunk: Buffer | null;
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
      pass(first.chunk);
      first = parcels[0];
    }
    if (heldBytes < mostHeldBytes && !target.writableNeedDrain) source.resume();
    if (first !== undefined) timer = setTimeout(flush, first.dueAt - now);
  }

  function pass(chunk: Buffer | null): void {
    if (chunk === null) return void target.end();
    heldBytes -= chunk.length;
    if (!target.write(chunk)) source.pause();
  }

  function take(chunk: Buffer | null): void {
    const { latencyMs, jitterMs, random } = conditions;
    lastDueAt = Math.max(lastDueAt, performance.now() + latencyMs + jitterMs * random());
    parcels.push({ chunk, dueAt: lastDueAt });
    heldBytes += chunk?.length ?? 0;
    if (heldBytes >= mostHeldBytes) source.pause();
    flush();
  }

  source.on("data", (chunk: Buffer) => void (judge(chunk) && take(chunk)));
  source.on("end", () => take(null));
  source.on("close", () => {
    // Whoever is gone without an end, killed or reset, takes the other side along.
    if (!source.readableEnded) target.destroy();
  });
  target.on("drain", flush);
  target.on("close", () => clearTimeout(timer));
  return { flush };
}
