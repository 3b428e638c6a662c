import type { DataSource } from "typeorm";
import { createCalendlyWork } from "../../../activities/calendly.ts";
import { createReadCalendly } from "../../../activities/read-calendly.ts";
import { createLog } from "../../../core/log.ts";
import type { WorkflowCommand } from "../../../core/model/workflow/workflow-command.ts";
import {
  startCalendlyStandIn,
  type CalendlyStandIn,
} from "../../../dev/stand-in/calendly-server.ts";
import type { CalendlyWorld } from "../../../dev/stand-in/calendly-world.ts";
import { testSecretBox, type TestAccount } from "../../support/accounts.ts";
import {
  createTestAgenda,
  createTestResource,
  type TestAgenda,
} from "../../support/appointments.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

/** A connected account of Calendly, with the steps that workflows make. */
export interface CalendlyFixture extends TestAgenda {
  connectionId: number;
  slug: string;
  account: TestAccount;
  /** Runs the steps of requests that wait in the outbox. Pairs wait until they are named. */
  work(also?: "pairs"): Promise<string[]>;
  /** Reads all bookings of the connection now. */
  readAll(): Promise<{ state: string; changed?: number }>;
  /** Events that were published since the last call: type, status and start of the appointment. */
  events(): Promise<string[]>;
  /** Appointments as `status HH:MM`, by id. */
  appointments(): Promise<string[]>;
  call(this: void, method: string, path: string, body?: unknown): Promise<TestAnswer>;
  /** The admin's login. */
  cookie: string;
  /** Adds another agenda. @returns its id */
  addResource(): Promise<number>;
}

/** The servers of a file. */
export interface CalendlyServers {
  database: TestDatabase;
  api: TestApi;
  standIn: CalendlyStandIn;
  steps: ReturnType<typeof createCalendlyWork> & ReturnType<typeof createReadCalendly>;
  /** Steps whose first call of Calendly at such a path is made after `work`. */
  stepsAfter(path: RegExp, work: () => Promise<unknown>): CalendlyServers["steps"];
  /** Steps on a pool of their own, which do `work` once Calendly has renewed a grant. */
  stepsAfterGrant(dataSource: DataSource, work: () => Promise<unknown>): CalendlyServers["steps"];
  /** Connects an account of its own; its agenda is that of `OWNER` unless `map` is false. */
  connect(given?: ConnectOptions): Promise<CalendlyFixture>;
  stop(): Promise<void>;
}

/** Ways to connect: a token, or the consent of a user of Calendly. */
interface ConnectOptions {
  token?: string;
  user?: string;
  map?: boolean;
}

/** Origin of the installation in webhook URLs. */
export const publicUrl = "https://parley.example";

/** Starts a database, an API and a stand-in of Calendly. */
export async function startCalendlyServers(origin = publicUrl): Promise<CalendlyServers> {
  const [database, standIn] = await Promise.all([createTestDatabase(), startCalendlyStandIn()]);
  const settings = Object.assign({}, standIn.settings, { PUBLIC_URL: origin });
  const api = await startTestApi(database, settings);
  standIn.world.route = api.url;
  const { dataSource } = database;
  const log = createLog("test", "silent");
  const { calendly } = api.deps;
  const deps = { dataSource, secretBox: testSecretBox, calendly, log, publicUrl: origin };
  const stepsOf = (given: typeof deps) => ({
    ...createCalendlyWork(given),
    ...createReadCalendly(given),
  });
  const steps = stepsOf(deps);
  return {
    database,
    api,
    standIn,
    steps,
    stepsAfter(path, work) {
      let isDone = false;
      const call: typeof calendly.call = async (given) => {
        if (!isDone && path.test(given.path)) {
          isDone = true;
          await work();
        }
        return await calendly.call(given);
      };
      const { oauth, close } = calendly;
      return stepsOf(Object.assign({}, deps, { calendly: { call, oauth, close } }));
    },
    stepsAfterGrant(own, work) {
      const { call, oauth, close } = calendly;
      if (oauth === null) throw new Error("There is no OAuth app.");
      const renewGrant: typeof oauth.renewGrant = async (refreshToken) => {
        const grant = await oauth.renewGrant(refreshToken);
        await work();
        return grant;
      };
      const given = { call, close, oauth: Object.assign({}, oauth, { renewGrant }) };
      return stepsOf(Object.assign({}, deps, { dataSource: own, calendly: given }));
    },
    connect: async (given = {}) => await connect({ database, api, standIn, steps }, given),
    async stop() {
      await api.stop();
      await calendly.close();
      await standIn.stop();
      await database.stop();
    },
  };
}

async function connect(
  servers: Pick<CalendlyServers, "database" | "api" | "standIn" | "steps">,
  { token = "owner-token", user, map = true }: ConnectOptions,
): Promise<CalendlyFixture> {
  const { database, api, steps, standIn } = servers;
  const { dataSource } = database;
  const agenda = await createTestAgenda(dataSource);
  const { accountId } = agenda.account;
  const isHttps = api.deps.config.publicUrl.startsWith("https:");
  const cookie = `${isHttps ? "__Host-" : ""}${agenda.account.cookie}`;
  const call: CalendlyFixture["call"] = async (method, path, body) => {
    const headers = { origin: api.deps.config.publicUrl };
    return await api.call(method, `/dashboard/api${path}`, { cookie, headers, body });
  };
  if (user === undefined) {
    const answer = await call("POST", "/calendars/calendly", { token });
    if (answer.status !== 201) throw new Error(answer.text);
  } else {
    const led = await comeBack(api, cookie, await choose(await begin(call), { user }));
    if (led !== "303 /settings/calendars?calendly=connected") throw new Error(led);
  }
  const { json } = await call("GET", "/calendars");
  const connectionId = Number(json.data.connections[0].id);
  const slug = String(json.data.connections[0].calendly.slug);
  if (map) {
    const users = [{ uri: userUri("OWNER"), resource_id: agenda.resourceId }];
    const mapped = await call("PATCH", `/calendars/calendly/${connectionId}`, { users });
    if (mapped.status !== 200) throw new Error(mapped.text);
  }
  forgetOthers(standIn.world, slug);
  let lastEvent = "";
  return {
    ...agenda,
    connectionId,
    slug,
    call,
    cookie,
    addResource: async () => await createTestResource(dataSource, accountId),
    async work(also) {
      const done: string[] = [];
      for (;;) {
        const rows = await dataSource.query<{ id: number; command: WorkflowCommand }[]>(
          `SELECT id, command FROM outbox WHERE account_id = ? AND kind = 'request'
              AND command ->> '$.workflow' IN ('applyCalendly', 'tellCalendly', ?) ORDER BY id`,
          [accountId, also === "pairs" ? "pairCalendly" : "-"],
        );
        if (rows.length === 0) return done;
        for (const { id, command } of rows) {
          await perform(steps, command);
          await dataSource.query("DELETE FROM outbox WHERE id = ?", [id]);
          done.push(command.workflowId);
        }
      }
    },
    readAll: async () => await steps.readCalendly({ accountId, connectionId }),
    async events() {
      const rows = await dataSource.query<{ id: Buffer; type: string; body: Buffer }[]>(
        `SELECT id, type, body FROM events
          WHERE account_id = ? AND type LIKE 'appointment.%' ORDER BY id`,
        [accountId],
      );
      const fresh = rows.filter(({ id }) => id.toString("hex") > lastEvent);
      lastEvent = fresh.at(-1)?.id.toString("hex") ?? lastEvent;
      return fresh.map(({ type, body }) => {
        const { data } = JSON.parse(body.toString("utf8")) as {
          data: { start_time: string; source: string };
        };
        return `${type} ${data.start_time.slice(11, 16)} ${data.source}`;
      });
    },
    async appointments() {
      const rows = await dataSource.query<{ status: string; start: Date }[]>(
        `SELECT status, start_time AS start FROM appointments WHERE account_id = ? ORDER BY id`,
        [accountId],
      );
      return rows.map(({ status, start }) => `${status} ${start.toISOString().slice(11, 16)}`);
    },
  };
}

/** The consent screen's address for a new consent. @param query such as `?connection_id=1` */
export async function begin(call: CalendlyFixture["call"], query = ""): Promise<URL> {
  const { json } = await call("GET", `/calendars/calendly/connect${query}`);
  return new URL(json.data.url);
}

/** The person's choice on the consent screen. @returns path and query of the callback */
export async function choose(
  screen: URL,
  { user = "OWNER", decision = "allow" }: { user?: string; decision?: "allow" | "deny" } = {},
): Promise<string> {
  const body = new URLSearchParams({ user, decision });
  const answer = await fetch(screen, { method: "POST", body, redirect: "manual" });
  const callback = new URL(answer.headers.get("location") ?? "");
  return `${callback.pathname}${callback.search}`;
}

/** The browser comes back. @returns status and page to which it is led */
export async function comeBack(
  { url }: Pick<TestApi, "url">,
  cookie: string,
  callback: string,
): Promise<string> {
  const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", cookie };
  const answer = await fetch(`${url}${callback}`, { headers, redirect: "manual" });
  return `${answer.status} ${answer.headers.get("location")}`;
}

/** Address of a user at Calendly. */
export function userUri(id: string): string {
  return `https://api.calendly.com/users/${id}`;
}

/** Accounts of other tests hear nothing of this one, and it has none of their bookings. */
function forgetOthers({ hooks, bookings, guests }: CalendlyWorld, slug: string): void {
  bookings.clear();
  guests.clear();
  for (const [id, hook] of hooks) if (!hook.url.endsWith(slug)) hooks.delete(id);
}

async function perform(
  steps: CalendlyServers["steps"],
  { workflow, input }: WorkflowCommand,
): Promise<unknown> {
  const ids = input as { accountId: number; requestId: number; inviteeId: number };
  if (workflow === "applyCalendly") return await steps.applyCalendlyRequest(ids);
  if (workflow === "tellCalendly") return await steps.tellCalendly(ids);
  return await steps.settleCalendlyPair(ids);
}
