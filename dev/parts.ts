import { setTimeout as sleep } from "node:timers/promises";

/** Something the launcher started. */
export interface Part {
  name: string;
  /** Of its process, null when none runs. */
  pid: () => number | null;
  /** Ends it, the hard way after `timeoutMs` if it can. */
  stop: (timeoutMs: number) => Promise<void>;
}

/** All that runs, and how it ends. */
export interface Parts {
  add: (part: Part) => void;
  /**
   * Stops everything in order; what is not gone 14.5 s after `since` is killed.
   * @returns how many there were
   */
  stopAll: (since: number) => Promise<number>;
  /** Kills everything now. */
  killAll: () => void;
}

/** Who stops when: the ones in a row together, each row by so long after the stop was asked for. */
const order = [
  { names: ["receiver"], untilMs: 1_000 },
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

/** Its whole group, since a part may have started processes of its own. */
function killPart(part: Part): void {
  const pid = part.pid();
  if (pid === null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Already gone, which is what the signal was for.
  }
}
