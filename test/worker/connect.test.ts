import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createLog } from "../../core/log.ts";
import { connectTemporal } from "../../worker/temporal.ts";
import { eventually } from "../support/eventually.ts";
import { installTestRuntime } from "../support/worker.ts";
import { startWire } from "./relay-fixture.ts";

const log = createLog("test", "silent");

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a worker waits for a Temporal that is not there yet", async () => {
  installTestRuntime();
  const wire = await startWire();
  wire.cut();
  vi.stubEnv("TEMPORAL_ADDRESS", wire.address);
  vi.stubEnv("TEMPORAL_NAMESPACE", "some-namespace");
  const connecting = connectTemporal(log, new AbortController().signal);
  wire.mend();
  const link = await connecting;
  expect(link?.namespace).toBe("some-namespace");
  await link?.connection.close();
  await wire.stop();
});

test("a server that accepts and says nothing is asked again, and can be given up", async () => {
  let connections = 0;
  const server = createServer(() => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("TEMPORAL_ADDRESS", `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stopping = new AbortController();
  const connecting = connectTemporal(log, stopping.signal);
  await eventually(() => expect(connections).toBeGreaterThan(1));
  stopping.abort();
  expect(await connecting).toBeNull();
  server.close();
});
