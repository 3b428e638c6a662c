import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";

/** The registry of one process with Node's own figures. No label ever names an account, URL or phone. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Serves `/metrics` on a port of its own, which is meant for the operator's network alone. */
export async function serveMetrics(
  registry: Registry,
  host: string,
  port: number,
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}
