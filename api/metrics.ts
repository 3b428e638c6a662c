import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Metrics of an API process. */
export type ApiMetrics = ReturnType<typeof createApiMetrics>;

/** Creates the metrics and adds them to the registry. */
export function createApiMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: "parley_http_requests_total",
      help: "Requests by route and status.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    rings: new Counter({
      name: "parley_doorbell_rings_total",
      help: "Datagrams to doorbells of workers: sent, failed. One that was sent may be lost.",
      labelNames: ["result"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "parley_http_request_seconds",
      help: "From the request's head to the answer's end.",
      labelNames: ["method", "route"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    openStreams: new Gauge({
      name: "parley_live_streams",
      help: "Live streams of the Dashboard that are open.",
      registers,
    }),
    openVisits: new Gauge({
      name: "parley_visit_streams",
      help: "Streams of visitors of web chat that are open.",
      registers,
    }),
  };
}
