import { afterEach, expect, test, vi } from "vitest";
import { createHostLimiter } from "../../../activities/limits/host-limiter.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createBurstMode, noHosts } from "../../../worker/engine/burst-mode.ts";
import { createCircuitBreaker } from "../../../worker/engine/circuit-breaker.ts";
import { createRequestLimiter } from "../../../worker/engine/request-limiter.ts";
import { plainNames } from "../../../core/model/installation.ts";

afterEach(() => void vi.restoreAllMocks());

const subscription = { id: 7, maxConcurrency: 1 };
const turn = { messageId: 1, channelAccountId: 2, driver: "whatsapp_cloud", to: "1" } as const;

test.each<[string, () => void]>([
  [
    "the host limiter",
    () => {
      const limiter = createHostLimiter();
      limiter.reserve("1:1", "a", subscription);
      limiter.recordStarted("1:1");
      limiter.retryDelayMs("a", subscription.id);
      limiter.unsaturatedMs("a", subscription.id);
      limiter.release("1:1", { reached: false, durationMs: 10, ip: "192.0.2.1" });
      limiter.markBacklog();
    },
  ],
  [
    "the circuit breaker",
    () => {
      const breaker = createCircuitBreaker();
      const result = { error: "GRPC_14", transient: true };
      breaker.recordOutcomes([{ result, failedBefore: false }]);
      breaker.probe(async () => await Promise.resolve(true));
    },
  ],
  [
    "the request limiter",
    () => {
      createRequestLimiter(plainNames).quota();
    },
  ],
  [
    "burst mode",
    () => {
      const burstMode = createBurstMode();
      burstMode.evaluate([{ key: "1:a", ageMs: 10 }], noHosts, false);
      burstMode.recordClaim({ count: 1, atLimit: true });
    },
  ],
  [
    "the pace of messages",
    () => {
      const pace = createSendPace();
      pace.book(turn);
      pace.leave(turn);
      pace.room(turn.channelAccountId);
      pace.slowDown(turn);
    },
  ],
])("%s does not read the wall clock, which may step back", (_, use) => {
  const wall = vi.spyOn(Date, "now");
  use();
  expect(wall).not.toHaveBeenCalled();
});

test("the clock of a process that has just begun means no trouble in the past", () => {
  const limiter = createHostLimiter({ now: () => 0, random: () => 0 });
  for (let n = 0; n < 9; n += 1) {
    limiter.acquire("1:1", "a");
    limiter.release("1:1", { reached: true, durationMs: 10, ip: null });
  }
  expect(limiter.available("a")).toBe(10);
  expect(limiter.unsaturatedMs("a")).toBe(Number.POSITIVE_INFINITY);
  expect(limiter.isBacklogged()).toBe(false);
  limiter.acquire("1:1", "a");
  limiter.release("1:1", { reached: false, durationMs: 10, ip: null });
  expect(limiter.available("a")).toBe(5);
});
