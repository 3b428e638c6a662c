import type { DataSource } from "typeorm";
import type { ModelPort } from "../core/agent/step.ts";
import type { Logger } from "../core/log.ts";
import type { SecretBox } from "../core/secrets.ts";
import type { AgentProvider } from "../db/entities/agent.ts";
import type { Calendly } from "./calendars/calendly.ts";
import type { CalendarPorts } from "./calendars/port.ts";
import type { Graph } from "./channels/graph.ts";
import type { Poster } from "./http/post.ts";
import type { HostLimiter } from "./limits/host-limiter.ts";
import type { SendPace } from "./limits/send-pace.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { MediaWork } from "./media/port.ts";
import type { WorkerMetrics } from "./metrics.ts";
import type { ReadPage } from "./pages/page-reader.ts";
import type { ReadRunStates } from "./run-state.ts";

/** Dependencies of the activities, created once by the worker process or by a test. */
export interface ActivityDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  poster: Poster;
  log: Logger;
  metrics: WorkerMetrics;
  hostLimiter: HostLimiter;
  calendarPorts: CalendarPorts;
  calendly: Calendly;
  /** Calls Meta's Graph API. */
  graph: Graph;
  /** The pace that the relay asks too. */
  sendPace: SendPace;
  /** Connects to the model of a provider. */
  models: (provider: AgentProvider) => ModelPort;
  /** Reads a page of the knowledge. */
  pages: ReadPage;
  /** Storage and downloads of files. */
  media: MediaWork;
  /** Origin of the API, under which networks read files by signed links. */
  publicUrl: string;
  /** Undefined if no mail server is set up. */
  mailer?: Mailer | undefined;
  /** Random share of a wait that is added to it, 0 to 0.1. */
  retryJitter: number;
  /** Reads the states of runs in Temporal, which activities cannot see otherwise. */
  runStates: ReadRunStates;
  /** Aborted once this process stops. A purge, the one long step, ends then. */
  stopping: AbortSignal;
}
