import type { Scenario } from "../run-scenario.ts";
import { agentModelScenarios } from "./agent-model.ts";
import { agentScenarios } from "./agent.ts";
import { calendarScenarios } from "./calendars.ts";
import { channelScenarios } from "./channel-intake.ts";
import { importScenarios } from "./imports.ts";
import { mediaScenarios } from "./channel-media.ts";
import { sendScenarios } from "./channel-sends.ts";
import { crashScenarios } from "./crash-points.ts";
import { dnsScenarios } from "./dns.ts";
import { doorbellScenarios } from "./doorbell.ts";
import { erasureScenarios } from "./erasure.ts";
import { fairnessScenarios } from "./fairness.ts";
import { mixScenarios } from "./mix.ts";
import { mysqlScenarios } from "./mysql.ts";
import { receiverScenarios } from "./receivers.ts";
import { recoveryScenarios } from "./recovery.ts";
import { temporalScenarios } from "./temporal.ts";
import { wholeScenarios } from "./whole.ts";
import { workerScenarios } from "./workers.ts";

/** Every scenario, in the order of its number. */
export const scenarios: readonly Scenario[] = [
  ...agentModelScenarios,
  ...agentScenarios,
  ...calendarScenarios,
  ...channelScenarios,
  ...crashScenarios,
  ...dnsScenarios,
  ...doorbellScenarios,
  ...erasureScenarios,
  ...fairnessScenarios,
  ...importScenarios,
  ...mediaScenarios,
  ...mixScenarios,
  ...mysqlScenarios,
  ...receiverScenarios,
  ...recoveryScenarios,
  ...sendScenarios,
  ...temporalScenarios,
  ...wholeScenarios,
  ...workerScenarios,
].toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
