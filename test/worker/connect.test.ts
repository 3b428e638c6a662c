import { connect, createServer, type AddressInfo } from "node:net";
import { createServer as createTlsServer, type Server } from "node:tls";
import { afterEach, expect, inject, test, vi } from "vitest";
import { createLog } from "../../core/log.ts";
import { connectTemporal, isReachable, readTemporalSettings } from "../../worker/temporal.ts";
import { eventually } from "../support/eventually.ts";
import { installTestRuntime } from "../support/worker.ts";
import { startWire } from "./engine/relay-fixture.ts";
import { authority, certificate, key } from "./temporal-certificates.ts";

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

/** TLS in front of the run's Temporal, for clients with a certificate alone. */
async function startMutualTls(): Promise<{ server: Server; address: string }> {
  const [host, port] = inject("temporalAddress").split(":");
  const options = { key, cert: certificate, ca: authority, requestCert: true };
  const server = createTlsServer({ ...options, ALPNProtocols: ["h2"] }, (client) => {
    const behind = connect(Number(port), host);
    client.pipe(behind).pipe(client);
    client.on("error", () => behind.destroy());
    behind.on("error", () => client.destroy());
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a cluster behind mutual TLS is reached with the certificate of the settings", async () => {
  installTestRuntime();
  const { server, address } = await startMutualTls();
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_TLS_SERVER_NAME", "temporal.test");
  vi.stubEnv("TEMPORAL_TLS_SERVER_CA_CERT_DATA", authority);
  vi.stubEnv("TEMPORAL_TLS_CLIENT_CERT_DATA", certificate);
  vi.stubEnv("TEMPORAL_TLS_CLIENT_KEY_DATA", key);
  const link = await connectTemporal(log, new AbortController().signal);
  if (link === null) throw new Error("not connected");
  expect(await isReachable(link)).toBe(true);
  await link.connection.close();
  server.close();
});

test("Temporal Cloud is reached by TLS with an API key", () => {
  const settings = {
    TEMPORAL_ADDRESS: "acme.a1b2c.tmprl.cloud:7233",
    TEMPORAL_NAMESPACE: "acme.a1b2c",
    TEMPORAL_API_KEY: "key",
    TEMPORAL_TLS: "",
  };
  expect(readTemporalSettings(settings)).toEqual({
    namespace: "acme.a1b2c",
    connectionOptions: {
      address: "acme.a1b2c.tmprl.cloud:7233",
      apiKey: "key",
      tls: true,
      metadata: undefined,
    },
  });
});

test("a variable that is set to nothing counts as not set", () => {
  const names = ["TEMPORAL_TLS", "TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_CERT_DATA"];
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  const given = { TEMPORAL_ADDRESS: "temporal:7233", ...empty };
  const { connectionOptions } = readTemporalSettings(given);
  expect(connectionOptions).toEqual({
    address: "temporal:7233",
    apiKey: undefined,
    tls: undefined,
    metadata: undefined,
  });
});
