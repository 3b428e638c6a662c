import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import { openPort } from "./open-port.ts";

/** Address at which a process serves its metrics. Without a port no metrics are served. */
interface MetricsAddress {
  metricsHost: string;
  metricsPort: number | null;
}

/**
 * The registry of one process. No label ever names an account, URL or phone. Node's own figures are in
 * it where they are served: the delay of the event loop wakes a process 100 times a second.
 */
export function createRegistry({ metricsPort }: Partial<MetricsAddress> = {}): Registry {
  const registry = new Registry();
  if (typeof metricsPort === "number") collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Serves `/metrics` on a port of its own, which is meant for the operator's network alone. With
 * `isReady` the server answers `/readyz` too: 200 once the process takes work, 503 before.
 * @returns null without a port.
 */
export async function serveMetrics(
  registry: Registry,
  { metricsHost, metricsPort }: MetricsAddress,
  isReady?: () => boolean,
): Promise<Server | null> {
  if (metricsPort === null) return null;
  const server = createServer((request, response) => {
    if (request.url === "/readyz" && isReady !== undefined) {
      response.writeHead(isReady() ? 200 : 503).end();
    } else if (request.url === "/metrics") {
      registry.metrics().then(
        (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    } else response.writeHead(404).end();
  });
  await openPort(server, { host: metricsHost, port: metricsPort, setting: "METRICS_PORT" });
  return server;
}
