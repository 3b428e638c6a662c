import { setTimeout as sleep } from "node:timers/promises";
import { startGoogleStandIn, type GoogleStandIn } from "../../../dev/stand-in/google-server.ts";
import { pushedUrl } from "../../bench/google-agenda.ts";
import { createCalendarEdits, type CalendarEdits } from "../calendar-edits.ts";
import type { Scenario } from "../run-scenario.ts";
import {
  check,
  checkNone,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import { crashAt, type CrashPoint } from "./crash-points.ts";

const editsPerSecond = 4;
const calmMs = 5_000;
const openMs = 60_000;
/** A calendar in trouble is asked again after 5 minutes at most, a write of ours after 10. */
const settledMs = 180_000;
const longTroubleSeconds = 150;
const longestWaitMs = 660_000;
const rounds = 2;
/** The part of a reading that a dead worker had is given back after 20 s, a write after 30 s. */
const springMs = 60_000;

/** Commits of a reading and of a write. */
const steps: readonly CrashPoint[] = [
  { name: "reading, before a page", who: "worker", of: ", `read_step` = ", when: "before" },
  { name: "reading, after a page", who: "worker", of: ", `read_step` = ", when: "after" },
  { name: "write, after its beginning", who: "worker", of: "`sent_start` = ", when: "after" },
  { name: "write, before its answer", who: "worker", of: "SET `etag` = ", when: "before" },
];

/** Google behind a proxy that can take it away. */
interface Google {
  standIn: GoogleStandIn;
  proxy: TcpProxy;
  /** Origin that the pushes go to. */
  apiUrl: string;
}

let google: Google | null = null;

async function prepare() {
  const standIn = await startGoogleStandIn({
    retryMs: 500,
    route: (address) => address.replace(pushedUrl, google?.apiUrl ?? pushedUrl),
  });
  const target = { host: "127.0.0.1", port: Number(new URL(standIn.url).port) };
  const proxy = await startTcpProxy({ target: () => target });
  google = { standIn, proxy, apiUrl: "" };
  const url = `http://127.0.0.1:${proxy.port}`;
  const settings = Object.entries(standIn.settings).map(([name, value]) => [
    name,
    value.replace(standIn.url, url),
  ]);
  return {
    settings: {
      ...(Object.fromEntries(settings) as Record<string, string>),
      PUBLIC_URL: pushedUrl,
    },
    async stop() {
      await proxy.stop();
      await standIn.close();
    },
  };
}

const shape = { workers: 1, accounts: 1, subscriptions: [] };

const away: Scenario = {
  id: "F33",
  title: "Google is away for a while, while appointments change on both sides",
  seconds: 60,
  share: 0.1,
  shape,
  prepare,
  async run(stage) {
    await withEdits(stage, async ({ standIn, proxy }) => {
      await sleep(calmMs);
      const awayMs = stage.seconds * 1_000;
      await injectFault(stage, `Google away for ${awayMs} ms`, "none", async () => {
        standIn.pushes.choose({ mode: "lost" });
        await proxy.down();
        await sleep(awayMs);
        // Access tokens live for an hour.
        standIn.endAccessTokens();
        await proxy.heal();
        standIn.pushes.choose({ mode: "now" });
      });
      await sleep(calmMs);
    });
  },
};

const killed: Scenario = {
  id: "F34",
  title: "the worker dies at every step of a reading of a calendar, and of a write to it",
  seconds: 0,
  share: 0.1,
  shape,
  prepare,
  async run(stage) {
    await withEdits(stage, async () => {
      for (let round = 0; round < rounds; round += 1)
        for (const step of stage.chance.shuffle(steps)) await crashAt(stage, step, springMs);
    });
  },
};

/** Does `work` while both sides are edited. In the end both have to be equal. */
async function withEdits(
  stage: ScenarioContext,
  work: (google: Google) => Promise<void>,
): Promise<void> {
  if (google === null) throw new Error("Google was not prepared.");
  const { installation, chance } = stage;
  google.apiUrl = installation.apis[0]?.url ?? "";
  const { standIn } = google;
  const edits = await createCalendarEdits(installation, standIn, chance.fork("edits"));
  try {
    const opened = await untilTrue(() => standIn.channels().length > 0, openMs);
    check(stage, opened !== null, "nobody watches the calendar");
    const load = edits.start(editsPerSecond);
    let count = 0;
    try {
      await work(google);
    } finally {
      count = await load.stop();
    }
    await judge(stage, edits, count);
  } finally {
    await edits.close();
  }
}

async function judge(stage: ScenarioContext, edits: CalendarEdits, count: number): Promise<void> {
  const limitMs = settledMs + (stage.seconds > longTroubleSeconds ? longestWaitMs : 0);
  const took = await untilTrue(async () => (await edits.compare()).length === 0, limitMs);
  const seconds = Math.round((took ?? limitMs) / 1_000);
  const told = await edits.countTold();
  stage.print(`${count} edits, ${told} events; settled ${seconds} s after the last edit`);
  checkNone(stage, await edits.compare(), "differences of the two sides");
}

export const calendarScenarios: readonly Scenario[] = [away, killed];
