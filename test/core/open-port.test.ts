import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createRegistry, serveMetrics } from "../../core/metrics.ts";
import { openPort } from "../../core/open-port.ts";

test.each(["PORT", "METRICS_PORT"] as const)(
  "a port that is taken is told by %s",
  async (setting) => {
    const first = createServer();
    onTestFinished(() => void first.close());
    await openPort(first, { host: "127.0.0.1", port: 0, setting });
    const address = first.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const opened = openPort(createServer(), { host: "127.0.0.1", port, setting });
    await expect(opened).rejects.toThrow(
      new RegExp(`^${setting} cannot be opened: .*EADDRINUSE.* give each process its own\\.$`, "u"),
    );
    const metrics = serveMetrics(createRegistry(), { metricsHost: "127.0.0.1", metricsPort: port });
    await expect(metrics).rejects.toThrow(/^METRICS_PORT cannot be opened: /u);
  },
);
