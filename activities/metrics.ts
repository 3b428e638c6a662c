import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Metrics of a worker process. */
export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** Creates the metrics and adds them to the registry. */
export function createWorkerMetrics(registry: Registry) {
  const registers = [registry];
  return {
    ...createAttemptMetrics(registers),
    ...createOutboxMetrics(registers),
    ...createJobMetrics(registers),
    ...createAgentMetrics(registers),
  };
}

function createAttemptMetrics(registers: Registry[]) {
  return {
    attempts: new Counter({
      name: "parley_delivery_attempts_total",
      help: "Attempts by outcome: ok, or the class of the failure.",
      labelNames: ["outcome"],
      registers,
    }),
    attemptsPostponed: new Counter({
      name: "parley_delivery_attempts_postponed_total",
      help: "Attempts that had to wait beyond their time: host_busy has no free slot, under_way may still be in flight.",
      labelNames: ["reason"],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: "parley_delivery_attempt_seconds",
      help: "From the start of connecting to the receiver's status line.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
      registers,
    }),
    firstAttemptSeconds: new Histogram({
      name: "parley_delivery_first_attempt_delay_seconds",
      help: "From the event's transaction to the start of its first attempt.",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: "parley_delivery_seconds",
      help: "From the event's transaction to the first answer of 2xx, waits and all; first runs only.",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3_600, 21_600, 86_400, 172_800],
      registers,
    }),
    deliveriesFinished: new Counter({
      name: "parley_deliveries_finished_total",
      help: "Runs of deliveries by the state they ended in.",
      labelNames: ["state"],
      registers,
    }),
  };
}

function createOutboxMetrics(registers: Registry[]) {
  return {
    outboxRows: new Gauge({
      name: "parley_outbox_rows",
      help: "Rows that Temporal has yet to be told of.",
      registers,
    }),
    outboxOldestSeconds: new Gauge({
      name: "parley_outbox_oldest_seconds",
      help: "Age of the oldest row that is due; 0 when there is none.",
      registers,
    }),
    outboxParked: new Gauge({
      name: "parley_outbox_parked_rows",
      help: "Rows that Temporal refused for good and that wait for a person.",
      registers,
    }),
    workflowsStarted: new Counter({
      name: "parley_workflows_started_total",
      help: "Runs that the relay has started, by workflow.",
      labelNames: ["workflow"],
      registers,
    }),
    outboxRelayed: new Counter({
      name: "parley_outbox_relayed_total",
      help: "Rows by what became of them: started, known, attempted, failed, handed_over, tried, limited, postponed, retried, parked.",
      labelNames: ["result"],
      registers,
    }),
    outboxClaimed: new Counter({
      name: "parley_outbox_claimed_total",
      help: "Rows that the relay has claimed, by what it found them by: ring, poll.",
      labelNames: ["by"],
      registers,
    }),
    rings: new Counter({
      name: "parley_doorbell_worker_rings_total",
      help: "Datagrams of this worker to doorbells of other workers: sent, failed. One that was sent may be lost.",
      labelNames: ["result"],
      registers,
    }),
    ringsReceived: new Counter({
      name: "parley_doorbell_received_total",
      help: "Datagrams to the doorbell of this worker: accepted, refused.",
      labelNames: ["result"],
      registers,
    }),
    relayAttempting: new Gauge({
      name: "parley_relay_attempting",
      help: "1 while the relay makes first attempts itself, else 0.",
      registers,
    }),
  };
}

function createAgentMetrics(registers: Registry[]) {
  return {
    agentTurns: new Counter({
      name: "parley_agent_turns_total",
      help: "Turns of the AI agent by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    agentStepSeconds: new Histogram({
      name: "parley_agent_step_seconds",
      help: "Time of a model step, by the kind of its provider; basic is the built-in agent.",
      labelNames: ["engine"],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45],
      registers,
    }),
    agentCutSeconds: new Histogram({
      name: "parley_agent_cut_seconds",
      help: "From the commit of a pause to the end of the step that it cut.",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    agentTokens: new Counter({
      name: "parley_agent_tokens_total",
      help: "Tokens of model steps, by the kind of the provider: input, cached (a part of input), output.",
      labelNames: ["engine", "kind"],
      registers,
    }),
    agentRepliesRefused: new Counter({
      name: "parley_agent_replies_refused_total",
      help: "Replies that a guard refused, by guard.",
      labelNames: ["guard"],
      registers,
    }),
  };
}

function createJobMetrics(registers: Registry[]) {
  return {
    deliveries: new Gauge({
      name: "parley_deliveries",
      help: "Deliveries that are kept, by state; told by the worker that counted last, for 15 minutes at most.",
      labelNames: ["state"],
      registers,
    }),
    deliveriesLost: new Counter({
      name: "parley_deliveries_lost_total",
      help: "Open deliveries whose run Temporal had lost, by what was done: restarted, discarded.",
      labelNames: ["result"],
      registers,
    }),
    runsLost: new Counter({
      name: "parley_runs_lost_total",
      help: "Runs of anything except deliveries that Temporal had lost and that were asked for again, by kind.",
      labelNames: ["kind"],
      registers,
    }),
    rowsPurged: new Counter({
      name: "parley_rows_purged_total",
      help: "Rows deleted because they were older than they are kept, by table.",
      labelNames: ["table"],
      registers,
    }),
  };
}
