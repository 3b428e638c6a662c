import { setTimeout as sleep } from "node:timers/promises";
import type { Scenario } from "../run-scenario.ts";
import { injectFault } from "../scenario-context.ts";

/** A power cut that spares the disk: writes stop at once, and no process ends in an orderly way. */
const whole: Scenario = {
  id: "F21",
  title: "everything is killed at once and started in random order",
  seconds: 45,
  share: 0.6,
  mayEnd: true,
  async run(stage) {
    const { mysql, temporal, apis, workers } = stage.installation;
    const end = performance.now() + stage.seconds * 1_000;
    for (let round = 1; performance.now() < end; round += 1) {
      await sleep(stage.chance.between(2_000, 5_000));
      await injectFault(stage, `all killed, round ${round}`, "span", async () => {
        const all = [mysql, temporal, ...apis, ...workers];
        await Promise.all(all.map(async (one) => await one.kill()));
        stage.kills += all.length;
        const starts = all.map((one) => async () => {
          // Our processes do not wait for MySQL. They end, and their supervisors start them again.
          if ("launch" in one) one.launch();
          else await one.start();
        });
        await Promise.all(
          stage.chance.shuffle(starts).map(async (start, place) => {
            await sleep(place * stage.chance.between(50, 400));
            await start();
          }),
        );
        await Promise.all([...apis, ...workers].map(async (one) => await one.start()));
      });
    }
  },
};

export const wholeScenarios: readonly Scenario[] = [whole];
