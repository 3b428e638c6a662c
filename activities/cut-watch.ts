import type { DataSource } from "typeorm";
import { listCutTurns } from "../core/services/agent/turn-records.ts";
import { oneStatement, systemOf } from "../db/transaction.ts";

const lookMs = 200;

/** Watches a turn until it is told to stop. `onCut` is called once, when a person took over. */
export type WatchCut = (turnId: number, onCut: () => void) => () => void;

/**
 * Tells the model calls of this process of a pause. Temporal tells them too, but with a heartbeat
 * of the step, which takes up to two seconds. One statement looks for all calls, and none is made
 * while there are no calls. The map holds the turns with a call under way alone.
 */
export function createCutWatch(dataSource: DataSource): WatchCut {
  const watched = new Map<number, () => void>();
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    const ids = [...watched.keys()];
    if (ids.length === 0) return;
    const cut = await oneStatement(dataSource, systemOf(), (tx) => listCutTurns(tx, ids));
    for (const id of cut) {
      const onCut = watched.get(id);
      watched.delete(id);
      onCut?.();
    }
  }

  function schedule(): void {
    if (timer !== null || watched.size === 0) return;
    timer = setTimeout(() => {
      // While MySQL is away, the step hears of its pause by Temporal.
      const looked = look().catch(() => undefined);
      void looked.then(() => {
        timer = null;
        schedule();
      });
    }, lookMs);
  }

  return (turnId, onCut) => {
    watched.set(turnId, onCut);
    schedule();
    // A later try of the same step may watch the turn by now.
    return () => {
      if (watched.get(turnId) === onCut) watched.delete(turnId);
    };
  };
}
