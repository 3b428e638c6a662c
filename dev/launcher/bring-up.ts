import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../core/config.ts";
import { ensureDashboard } from "../build/dashboard-build.ts";
import { ensureWidget } from "../build/widget-build.ts";
import type { DemoAccess } from "./demo-access.ts";
import { partLog } from "../local.ts";
import { withLock } from "../lock.ts";
import type { Parts } from "./parts.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { stopLeftoverServices } from "./processes.ts";
import {
  choosePort,
  findDatabase,
  findTemporalServer,
  serverEnvironment,
  watchServers,
  type Database,
  type ServerPart,
  type Temporal,
} from "./find-servers.ts";
import { serviceNames, startServices, waitForServices, type ServicePorts } from "./services.ts";
import { standIns, standInSettings } from "./stand-ins.ts";
import { ensureSecretKey, readUpState, writeUpState, type UpState } from "./up-state.ts";
import type { UpSettings } from "./up-settings.ts";

/** Input of a start. */
export interface StartContext {
  settings: UpSettings;
  /** Starts the stand-ins too, such as that of Meta for the channels of the demo account. */
  standIns: boolean;
  /** The state folder. */
  folder: string;
  /** Receives every started part at once, so that a failed start can stop it. */
  parts: Parts;
  /** Aborts the start between two steps. */
  stop: AbortSignal;
  /** Called when a server that we started ends without a request. */
  onServerEnd: (server: ServerPart) => void;
}

interface Servers {
  database: Database;
  temporal: Temporal;
}

/**
 * Starts everything, one step after the other. Resolves once the API answers and the worker reaches
 * Temporal.
 * @throws Error when a step fails or the start is stopped; `parts` has everything that runs by then
 */
export async function bringUp(
  context: StartContext,
): Promise<{ state: UpState; namespace: string }> {
  const { settings, folder } = context;
  mkdirSync(folder, { recursive: true });
  await stopLeftoverServices(folder, serviceNames);
  const known = readUpState(folder);
  const secretKey = ensureSecretKey(folder, settings.SECRET_KEY);
  const [servers] = await Promise.all([
    findServers(context),
    ensureDashboard(partLog("dashboard")),
    ensureWidget(partLog("widget")),
  ]);
  // Else two installations that start at once would find the same ports free.
  const state = await withLock(portsLock(), partLog("parley"), async () => {
    return await startOnFreePorts(context, { servers, known, secretKey });
  });
  return { state, namespace: servers.temporal.namespace };
}

/** Lock of this user's installations, from the choice of ports until all services use them. */
function portsLock(): string {
  return join(tmpdir(), `parley-ports-${process.getuid?.() ?? 0}.lock`);
}

async function startOnFreePorts(
  context: StartContext,
  { servers, known, secretKey }: { servers: Servers; known: UpState | null; secretKey: string },
): Promise<UpState> {
  const { settings, folder, stop } = context;
  stop.throwIfAborted();
  const ports = await choosePorts(context, known);
  const apiUrl = originOf(settings.HOST, ports.api);
  const receiverUrl = originOf("127.0.0.1", ports.receiver);
  const standInUrls = Object.fromEntries(
    Object.entries(ports.standIns).map(([key, port]) => [key, originOf("127.0.0.1", port)]),
  );
  const env = serviceEnvironment(settings, servers, {
    apiUrl,
    standInUrls,
    secretKey,
    port: ports.api,
    mediaFolder: join(folder, "media"),
  });
  // A wrong setting fails here, not in the log of a process that cannot start.
  const { databaseUrl } = loadConfig(env);
  const prepared = { databaseUrl, secretKey, folder, receiverUrl, known };
  const access = await prepareDatabase(prepared);
  stop.throwIfAborted();
  if (context.standIns) requireDemoLogin(access);
  const state = describeState(servers, { apiUrl, receiverUrl, standInUrls, access });
  // Before the services: a failed start must not lose a key that was just made.
  writeUpState(folder, state);
  await runServices(context, { env, ports, state });
  return state;
}

async function findServers({
  settings,
  folder,
  parts,
  stop,
  onServerEnd,
}: StartContext): Promise<Servers> {
  const keep = <T extends Database | Temporal>(found: T): T => {
    if (found.part !== null) parts.add(found.part);
    return found;
  };
  const [database, temporal] = await Promise.all([
    findDatabase(settings, folder).then(keep),
    findTemporalServer(settings, folder).then(keep),
  ]);
  stop.throwIfAborted();
  const ours = [database.part, temporal.part].filter((part) => part !== null);
  watchServers(ours, onServerEnd);
  return { database, temporal };
}

async function choosePorts(
  { settings, standIns: areAsked }: StartContext,
  known: UpState | null,
): Promise<ServicePorts> {
  const before = known === null ? 4_000 : Number(new URL(known.receiverUrl).port);
  const apiMetrics = await choosePort("metrics", settings.METRICS_PORT ?? 9_464);
  return {
    api: await choosePort("api", settings.PORT ?? 3_000),
    receiver: await choosePort("receiver", settings.RECEIVER_PORT ?? before),
    standIns: areAsked ? await chooseStandInPorts(settings) : {},
    apiMetrics,
    workerMetrics: await choosePort("metrics", apiMetrics + 1),
  };
}

async function chooseStandInPorts(settings: UpSettings): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  for (const { key, name, portSetting, port } of standIns)
    ports[key] = await choosePort(name, settings[portSetting] ?? port);
  return ports;
}

function serviceEnvironment(
  settings: UpSettings,
  { database, temporal }: Servers,
  {
    apiUrl,
    standInUrls,
    secretKey,
    port,
    mediaFolder,
  }: {
    apiUrl: string;
    standInUrls: UpState["standIns"];
    secretKey: string;
    port: number;
    mediaFolder: string;
  },
): NodeJS.ProcessEnv {
  return {
    ALLOW_PRIVATE_TARGETS: "true",
    MODEL_ALLOW_PRIVATE_TARGETS: "true",
    NODE_ENV: "development",
    PUBLIC_URL: apiUrl,
    MEDIA_DIR: mediaFolder,
    ...serverEnvironment(settings.passedOn, database, temporal),
    SECRET_KEY: secretKey,
    HOST: settings.HOST,
    PORT: String(port),
    ...standInSettings(standInUrls),
  };
}

function describeState(
  { database, temporal }: Servers,
  given: {
    apiUrl: string;
    receiverUrl: string;
    standInUrls: UpState["standIns"];
    access: DemoAccess | null;
  },
): UpState {
  const { apiUrl, receiverUrl, standInUrls, access } = given;
  return {
    apiUrl,
    apiKey: access?.apiKey ?? null,
    admin: access?.admin ?? null,
    temporalAddress: temporal.address,
    temporalUiUrl: temporal.uiUrl,
    databaseUrl: database.url,
    receiverUrl,
    standIns: standInUrls,
  };
}

/** The stand-in of Meta connects the channels as the admin whose login the launcher prints. */
function requireDemoLogin(access: DemoAccess | null): void {
  if ((access?.admin.password ?? null) !== null) return;
  const why =
    access === null
      ? "this database has no demo account"
      : `${access.admin.email} has a password of its own`;
  throw new Error(
    `--stand-ins cannot connect the channels: ${why}. docs/channels.md says how the stand-in takes another login.`,
  );
}

async function runServices(
  { folder, parts, stop }: StartContext,
  given: { env: NodeJS.ProcessEnv; ports: ServicePorts; state: UpState },
): Promise<void> {
  const { env, ports, state } = given;
  partLog("parley")("starting the API, the worker and the example receiver …");
  const services = startServices({ env, ports, folder, state });
  const { standIns: running, ...others } = services;
  for (const service of Object.values(others)) parts.add(service);
  for (const { service } of running) parts.add(service);
  const workerUrl = originOf(env["METRICS_HOST"] ?? "127.0.0.1", ports.workerMetrics);
  await waitForServices(services, { ...state, workerUrl, stop });
  stop.throwIfAborted();
}

/** A wildcard address such as 0.0.0.0 cannot be called, so the URL names the loopback address. */
function originOf(host: string, port: number): string {
  const called = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${called.includes(":") ? `[${called}]` : called}:${port}`;
}
