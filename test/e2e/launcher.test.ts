import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { isRunning } from "../../dev/leftover.ts";
import { repositoryRoot } from "../../dev/local.ts";
import { readUpState, type UpState } from "../../dev/launcher/up-state.ts";
import { eventually } from "../support/eventually.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-up-"));
const startMs = 100_000;

interface Launcher {
  state: UpState;
  /** Launcher first, then all that it started. */
  pids: number[];
  /** Sends a signal. @returns the exit code and how long the end took. */
  end: (signal: NodeJS.Signals) => Promise<{ code: number | null; ms: number }>;
}

let running: Launcher | null = null;

afterAll(async () => {
  await running?.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/**
 * As npm runs it: then it also ends when the process of this test does.
 * @param chunks gets all that the launcher prints
 */
async function startLauncher(options: string[] = [], chunks: string[] = []): Promise<Launcher> {
  const child = spawn(process.execPath, ["--import", "tsx/esm", "dev/launcher/up.ts", ...options], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env["PATH"],
      npm_lifecycle_event: "start",
      PARLEY_STATE_DIR: folder,
      TMPDIR: folder,
      PORT: "0",
      METRICS_PORT: "0",
      MYSQL_PORT: "0",
      TEMPORAL_PORT: "0",
      TEMPORAL_UI_PORT: "0",
      STAND_IN_PORT: "0",
      GOOGLE_STAND_IN_PORT: "0",
      CALENDLY_STAND_IN_PORT: "0",
    },
  });
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  const errors = text(child.stderr);
  const exited = once(child, "exit");
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`ended: ${chunks.join("")}${await errors}`);
    if (!chunks.join("").includes("ready in")) throw new Error(`not ready: ${chunks.join("")}`);
  }, startMs);
  const state = readUpState(folder);
  if (state === null) throw new Error("There is no up.json.");
  const started = [
    "run/api.pid",
    "run/worker.pid",
    "run/receiver.pid",
    "mysql/mysqld.pid",
    "temporal/temporal.db.pid",
    ...Object.keys(state.standIns).map((key) => `run/stand-in-${key}.pid`),
  ].map((file) => Number(JSON.parse(readFileSync(join(folder, file), "utf8")).pid));
  return {
    state,
    pids: [child.pid ?? 0, ...started],
    end: async (signal) => {
      const sentAt = performance.now();
      child.kill(signal);
      await exited;
      running = null;
      return { code: child.exitCode, ms: performance.now() - sentAt };
    },
  };
}

/** Does as another installation that is choosing its ports. @returns what ends that */
function holdPorts(): () => void {
  const lock = join(folder, `parley-ports-${process.getuid?.() ?? 0}.lock`);
  writeFileSync(lock, String(process.pid));
  return () => rmSync(lock);
}

async function callApi({ apiUrl, apiKey }: UpState, path: string, body?: object) {
  const response = await fetch(`${apiUrl}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: { id: number } };
  return { status: response.status, data };
}

async function listReceived({ receiverUrl }: UpState): Promise<unknown[]> {
  const { events } = (await (await fetch(receiverUrl)).json()) as { events: unknown[] };
  return events;
}

/** A customer of the stand-in sends a picture, and the answer shows on the stand-in's page. */
async function talkAsCustomer(state: UpState): Promise<void> {
  const standInUrl = state.standIns["meta"];
  const page = await (await fetch(`${standInUrl}/`)).text();
  expect(page).toContain("Send as customer");
  for (const network of ["whatsapp", "messenger", "instagram"]) {
    const sent = await fetch(`${standInUrl}/control/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ network, kind: "image" }),
    });
    expect(sent.status).toBe(200);
  }
  let talks: { id: number; channel: string }[] = [];
  await eventually(async () => {
    const { data } = await callApi(state, "/conversations");
    talks = Object(data);
    const channels = talks.map(({ channel }) => channel).toSorted();
    expect(channels).toEqual(["facebook", "instagram", "whatsapp"]);
  });
  for (const { id } of talks) {
    await eventually(async () => {
      const { data } = await callApi(state, `/conversations/${id}/messages`);
      expect(data).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            attachments: [expect.objectContaining({ state: "ready", mime_type: "image/png" })],
          }),
        ]),
      );
    });
    const answer = { type: "text", content: `Gracias ${id}` };
    expect((await callApi(state, `/conversations/${id}/messages`, answer)).status).toBe(201);
  }
  await eventually(async () => {
    const { lines } = Object(await (await fetch(`${standInUrl}/control/state`)).json());
    const texts: unknown[] = lines.map((line: { text: string }) => line.text);
    expect(texts).toEqual(expect.arrayContaining(talks.map(({ id }) => `Gracias ${id}`)));
  });
}

test(
  "npm start serves the Dashboard, delivers a signed webhook, stops all of itself, and comes back with its data",
  async () => {
    const first = await startLauncher();
    running = first;
    const page = await fetch(first.state.apiUrl);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="root"')]);
    const made = await callApi(first.state, "/contacts", { name: "Grace", phone: "12025550199" });
    expect(made.status).toBe(201);
    await eventually(async () => {
      expect(await listReceived(first.state)).toEqual([
        expect.objectContaining({ type: "contact.created", attempt: 1, verified: "both" }),
      ]);
    });

    const stopped = await first.end("SIGINT");
    expect(stopped.code).toBe(0);
    expect(stopped.ms).toBeLessThan(15_000);
    expect(first.pids.filter(isRunning)).toEqual([]);

    expect(first.state.standIns).toEqual({});

    const release = holdPorts();
    const printed: string[] = [];
    const starting = startLauncher(["--stand-ins"], printed);
    const isHeld = () => expect(printed.join("")).toContain("waiting for another process");
    await eventually(isHeld, startMs);
    expect(printed.join("")).not.toContain("starting the API");
    release();
    const second = await starting;
    running = second;
    const { apiKey, admin } = first.state;
    expect(second.state).toMatchObject({ apiKey, admin });
    const found = await callApi(second.state, `/contacts/${made.data.id}`);
    expect(found).toEqual({ status: 200, data: made.data });
    const again = await callApi(second.state, "/contacts", { email: "hopper@example.com" });
    expect(again.status).toBe(201);
    await eventually(async () => {
      expect(await listReceived(second.state)).toEqual([
        expect.objectContaining({ type: "contact.created", verified: "both" }),
      ]);
    });
    await talkAsCustomer(second.state);
    const calendars = await fetch(`${second.state.standIns["google"]}/`);
    expect(await calendars.text()).toContain("Stand-in of Google Calendar");
    const bookings = await fetch(`${second.state.standIns["calendly"]}/users/me`, {
      headers: { authorization: "Bearer owner-token" },
    });
    expect(bookings.status).toBe(200);
    expect((await second.end("SIGTERM")).code).toBe(0);
    expect(second.pids.filter(isRunning)).toEqual([]);
  },
  2 * startMs,
);
