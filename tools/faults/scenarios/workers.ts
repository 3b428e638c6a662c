import { setTimeout as sleep } from "node:timers/promises";
import { readRows, withMysql } from "../books.ts";
import type { Scenario } from "../run-scenario.ts";
import { checkNone, injectFault, killProcess } from "../scenario-context.ts";

/** Kills some worker every 2 to 5 s. It starts again at once. */
const killed: Scenario = {
  id: "F1",
  title: "workers are killed again and again",
  seconds: 30,
  share: 0.8,
  // A dead relay's claims are free after 30 s. A dead worker's attempts are retried after 20 s.
  drainMs: 60_000,
  async run(stage) {
    const end = performance.now() + stage.seconds * 1_000;
    while (performance.now() < end) {
      await sleep(stage.chance.between(2_000, 5_000));
      const worker = stage.chance.pick(stage.installation.workers);
      await killProcess(stage, worker);
      worker.launch();
    }
  },
};

/**
 * Freezes a worker longer than the timeout of an attempt in Temporal, so that other workers take
 * its work over.
 */
const frozen: Scenario = {
  id: "F2",
  title: "a worker is frozen for longer than its attempts may take, and thaws",
  seconds: 28,
  share: 0.8,
  async run(stage) {
    const worker = stage.chance.pick(stage.installation.workers);
    await sleep(3_000);
    await injectFault(stage, `freeze ${worker.name}`, "moment", async () => {
      worker.freeze();
      await sleep(stage.seconds * 1_000 - 3_000);
      worker.thaw();
    });
    await sleep(3_000);
  },
};

/** Without a fault, no attempt may be made twice. */
const many: Scenario = {
  id: "F4",
  title: "four relays look at one outbox",
  seconds: 20,
  share: 0.6,
  shape: { workers: 4 },
  async run(stage) {
    await sleep(stage.seconds * 1_000);
    await Promise.all(stage.loads.map(async (load) => await load.stop()));
    const twice = await withMysql(stage.installation, async (connection) =>
      readRows<{ delivery_id: number }>(
        connection,
        "SELECT delivery_id FROM delivery_attempts WHERE posts > 1",
      ),
    );
    checkNone(
      stage,
      twice.map(({ delivery_id: id }) => `delivery ${id}`),
      "attempts begun twice",
    );
  },
};

export const workerScenarios: readonly Scenario[] = [killed, frozen, many];
