import { afterAll, beforeAll } from "vitest";

/** A fixture that works until its `stop`. */
interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Starts a fixture before the tests of a file and stops it after them. Fixtures stop in the reverse
 * order of their start.
 * @returns the fixture. Tests and hooks may use it, the module itself may not.
 */
export function useFixture<T extends Stoppable>(start: () => Promise<T>): T {
  let started: T | null = null;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => await started?.stop());
  const fixture = (): T => {
    if (started === null) throw new Error("The fixture starts before the first test.");
    return started;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(fixture(), name) as unknown,
    set: (_, name, value) => Reflect.set(fixture(), name, value),
  });
}
