import type { Inspector } from "./tcp-proxy.ts";

/** Acts in the middle of an answer of a server. */
export interface ByteTrap {
  inspect: () => Inspector;
  /**
   * Runs `act` once the server has sent so many bytes from now on, in all connections together, and
   * cuts the connection there.
   * @returns a promise that resolves after `act`
   */
  set(bytes: number, act: () => void): Promise<void>;
}

interface SetTrap {
  left: number;
  spring: () => void;
}

/** Creates the inspector of a proxy in front of a server. */
export function createByteTrap(): ByteTrap {
  let trap: SetTrap | null = null;
  return {
    inspect: () => ({
      fromClient: () => "pass",
      fromServer(chunk) {
        if (trap === null) return "pass";
        trap.left -= chunk.length;
        if (trap.left > 0) return "pass";
        const { spring } = trap;
        trap = null;
        spring();
        return "cut";
      },
    }),
    set: (bytes, act) =>
      new Promise((resolve) => {
        const spring = (): void => {
          act();
          resolve();
        };
        trap = { left: bytes, spring };
      }),
  };
}
