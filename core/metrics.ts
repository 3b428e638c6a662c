import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";

/** The registry of one process with Node's own figures. No label ever names an account, URL or phone. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Address at which a process serves its metrics. Without a port no metrics are served. */
interface MetricsAddress {
  metricsHost: string;
  metricsPort: number | null;
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(metricsPort, metricsHost, resolve);
  });
  return server;
}
