import { setTimeout as sleep } from "node:timers/promises";
import { standIns } from "./stand-ins.ts";

/** A process that the launcher started. */
export interface Part {
  name: string;
  /** Process id; null while no process runs. */
  pid: () => number | null;
  /** Ends the part. A part that can be killed is killed after `timeoutMs`. */
  stop: (timeoutMs: number) => Promise<void>;
}

/** All running parts, and the order of their end. */
export interface Parts {
  add: (part: Part) => void;
  /**
   * Stops everything in order. A part that runs past its time is killed, the last ones 14.5 s after
   * `since`.
   * @returns the number of parts
   */
  stopAll: (since: number) => Promise<number>;
  /** Kills everything now. */
  killAll: () => void;
}

/**
 * Order of the stop: the parts of a row stop together. Each row has until `untilMs` after the
 * request.
 */
const order = [
  { names: ["receiver", ...standIns.map(({ name }) => name)], untilMs: 1_000 },
  { names: ["api"], untilMs: 4_500 },
  { names: ["worker"], untilMs: 11_000 },
  { names: ["temporal", "mysql"], untilMs: 14_500 },
];

/** An empty list of parts. */
export function createParts(): Parts {
  const parts: Part[] = [];
  return {
    add: (part) => parts.push(part),
    killAll: () => {
      for (const part of parts) killPart(part);
    },
    stopAll: async (since) => {
      for (const { names, untilMs } of order) {
        const row = parts.filter(({ name }) => names.includes(name));
        const timeoutMs = Math.max(0, untilMs - (Date.now() - since));
        await Promise.all(row.map(async (part) => await stopPart(part, timeoutMs)));
      }
      return parts.length;
    },
  };
}

async function stopPart(part: Part, timeoutMs: number): Promise<void> {
  const late = new AbortController();
  const kill = sleep(timeoutMs, undefined, { signal: late.signal }).then(
    () => killPart(part),
    () => undefined,
  );
  await Promise.race([part.stop(timeoutMs), kill]);
  late.abort();
}

/** Kills the whole process group, because a part may have started processes. */
function killPart(part: Part): void {
  const pid = part.pid();
  if (pid === null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process is already gone, which is the purpose of the signal.
  }
}
