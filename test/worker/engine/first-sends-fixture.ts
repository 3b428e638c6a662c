import { Client } from "@temporalio/client";
import { createHostLimiter } from "../../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createWorkerMetrics } from "../../../activities/metrics.ts";
import { createLog } from "../../../core/log.ts";
import { createRegistry } from "../../../core/metrics.ts";
import { plainNames } from "../../../core/model/installation.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { startRelay, type Relay, type RelayDeps } from "../../../worker/engine/relay.ts";
import { createRequestLimiter } from "../../../worker/engine/request-limiter.ts";
import {
  startSendingFixture,
  type SendingFixture,
  type TestTalk,
} from "../../activities/channels/sending-fixture.ts";
import { createNamespace, installTestRuntime, linkTemporal } from "../../support/worker.ts";

/** Channels of Meta, and a Temporal without workers, so that a run which starts stays as it is. */
export interface FirstSendsFixture extends SendingFixture {
  /** Starts a relay that hands over to the channels of a talk. `given`: other parts of the relay. */
  relay(talk: TestTalk, given?: Partial<RelayDeps>): Relay;
  /** Makes every row of the outbox so old that the relay is behind. */
  fallBehind(): Promise<void>;
  /** The input of a message's run; null without a run. */
  inputOfRun(input: SendMessageInput): Promise<unknown>;
  /** Rows of the outbox. */
  waiting(): Promise<{ lane: string; attempts: number }[]>;
  stop(): Promise<void>;
}

const refuse = async () => await Promise.reject(new Error("There is no delivery."));

/** Starts the fixture. Its relays end with it. */
export async function startFirstSendsFixture(): Promise<FirstSendsFixture> {
  installTestRuntime();
  const sending = await startSendingFixture();
  const { dataSource } = sending.database;
  const link = await linkTemporal(await createNamespace());
  const client = new Client(link);
  const relays: Relay[] = [];
  return {
    ...sending,
    relay(talk, given = {}) {
      const shared = {
        dataSource,
        client,
        log: createLog("test", "silent"),
        naming: plainNames,
        metrics: createWorkerMetrics(createRegistry()),
        hostLimiter: createHostLimiter(),
        requestLimiter: createRequestLimiter(plainNames),
        sendPace: createSendPace(),
        sendToChannel: talk.activities.sendToChannel,
        attempts: { attemptDelivery: refuse, claimAndBegin: refuse, finishAttempt: refuse },
        firstAttempt: "workflow",
        waitsMs: [1_000],
        isSearchable: () => false,
      } as const;
      const relay = startRelay({ ...shared, ...given });
      relays.push(relay);
      return relay;
    },
    async fallBehind() {
      await sending.query("UPDATE outbox SET available_at = available_at - INTERVAL 1 SECOND");
    },
    async inputOfRun({ messageId }) {
      const run = client.workflow.getHandle(`message-${messageId}`);
      const history = await run.fetchHistory().catch(() => null);
      const [begun] = history?.events ?? [];
      const [payload] = begun?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      const bytes = payload?.data;
      return bytes ? JSON.parse(Buffer.from(bytes).toString("utf8")) : null;
    },
    waiting: async () => await sending.query("SELECT lane, attempts FROM outbox ORDER BY id"),
    async stop() {
      await Promise.all(relays.map((relay) => relay.stop()));
      await link.connection.close();
      await sending.stop();
    },
  };
}
