import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { generateSigningSecret } from "../../../core/secrets.ts";
import { signBody, signStandard, timestampToleranceSeconds } from "../../../core/signature.ts";
import type { ReceivedCounts, ReceivedEvent } from "../../../dev/receiver/receiver-log.ts";
import { parseReceiverCommand, receiverHelp } from "../../../dev/receiver/receiver-options.ts";
import { startReceiver, type RunningReceiver } from "../../../dev/receiver/receiver.ts";

const secret = generateSigningSecret();
const eventId = "019caf1e-5b1e-7a02-8c55-0d9b1e7f3a61";
const payload = { event_id: eventId, event_type: "contact.created", data: { name: "Añá 👍" } };
const bytes = Buffer.from(JSON.stringify(payload));

interface Overview {
  secrets: number;
  counts: ReceivedCounts;
  events: ReceivedEvent[];
}

let folder: string;
let running: RunningReceiver[];
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-receiver-"));
  running = [];
  lines = [];
});

afterEach(async () => {
  await Promise.all(running.map((receiver) => receiver.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startReceiver>[0] = {}): Promise<string> {
  const receiver = await startReceiver({ port: 0, print: (line) => lines.push(line), ...options });
  running.push(receiver);
  return receiver.url;
}

function signedHeaders(
  over: { secrets?: string[]; timestampSeconds?: number; attempt?: number; id?: string } = {},
): Record<string, string> {
  const { secrets = [secret], attempt = 1, id = eventId } = over;
  const timestampSeconds = over.timestampSeconds ?? Math.floor(Date.now() / 1000);
  return {
    "Content-Type": "application/json",
    "X-Service-Event": "contact.created",
    "X-Service-Event-Id": id,
    "X-Service-Attempt": String(attempt),
    "X-Service-Signature": signBody(secrets[0] ?? "", bytes),
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ secrets, id, timestampSeconds, body: bytes }),
  };
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: RequestInit["body"] = bytes,
) {
  return (await fetch(url, { method: "POST", headers, body })).status;
}

async function addSecret(url: string, added: unknown) {
  return await post(
    `${url}/secrets`,
    { "Content-Type": "application/json" },
    JSON.stringify({ secret: added }),
  );
}

async function look(url: string, path = "/"): Promise<Overview> {
  return (await (await fetch(url + path)).json()) as Overview;
}

async function lastEvent(url: string): Promise<ReceivedEvent | undefined> {
  return (await look(url)).events[0];
}

describe("verification", () => {
  test("an event with both signatures is answered 204 and shown with what it carried", async () => {
    const url = await start({ secrets: [generateSigningSecret(), secret] });
    expect(await post(`${url}/any/path`, signedHeaders({ attempt: 2 }))).toBe(204);
    expect(await look(url)).toEqual({
      secrets: 2,
      counts: { posts: 1, processed: 1, duplicates: 0, rejected: 0, failed: 0 },
      events: [
        {
          received_at: expect.stringMatching(/^\d{4}-.*Z$/u),
          type: "contact.created",
          id: eventId,
          attempt: 2,
          verified: "both",
          duplicate: false,
          status: 204,
          size: bytes.length,
          body: payload,
        },
      ],
    });
    expect(await look(url, "/events")).toEqual(await look(url));
  });

  test("each POST prints one line", async () => {
    const url = await start({ secrets: [secret] });
    await post(url, signedHeaders());
    await post(url, signedHeaders({ attempt: 2 }));
    const shown = `contact.created  ${eventId}`;
    expect(lines.map((line) => line.replace(/^\S+Z {2}/u, ""))).toEqual([
      `${shown}  attempt 1  verified both  ${bytes.length} B  answered 204`,
      `${shown}  attempt 2  verified both  duplicate  ${bytes.length} B  answered 204`,
    ]);
  });

  test("nothing a header holds can steer the terminal", async () => {
    const url = await start();
    await post(url, { "X-Service-Event": "a\u009b2Jb", "X-Service-Event-Id": "x".repeat(500) });
    expect(lines[0]).toContain(`  a?2Jb  ${"x".repeat(80)}  `);
  });

  test("one fitting signature is enough, and named", async () => {
    const url = await start({ secrets: [secret] });
    const other = generateSigningSecret();
    const stale = Math.floor(Date.now() / 1000) - timestampToleranceSeconds - 2;
    await post(url, signedHeaders({ id: "rotated", secrets: [other, secret] }));
    await post(url, signedHeaders({ id: "stale", timestampSeconds: stale }));
    const { events } = await look(url);
    expect(events.map(({ id, verified, status }) => [id, verified, status])).toEqual([
      ["stale", "service", 204],
      ["rotated", "standard", 204],
    ]);
  });

  test.each([
    ["another secret", signedHeaders({ secrets: [generateSigningSecret()] }), bytes],
    ["another body", signedHeaders(), Buffer.from(JSON.stringify(payload).replace("Añá", "Ana"))],
    [
      "the same JSON in other bytes",
      signedHeaders(),
      Buffer.from(JSON.stringify(payload, null, 1)),
    ],
    ["no signature", { "X-Service-Event-Id": eventId }, bytes],
    [
      "malformed signatures",
      { "X-Service-Signature": "sha256=zz", "webhook-signature": "v1" },
      bytes,
    ],
  ])("%s is refused with 401 and not processed", async (_, headers, body) => {
    const url = await start({ secrets: [secret] });
    expect(await post(url, headers, body)).toBe(401);
    expect((await look(url)).counts).toMatchObject({ processed: 0, rejected: 1 });
    expect(await post(url, signedHeaders())).toBe(204);
    expect(await lastEvent(url)).toMatchObject({ verified: "both", duplicate: false });
  });

  test("without a secret every event is accepted and marked unverified", async () => {
    const url = await start();
    expect(await post(url, { "X-Service-Event-Id": eventId }, "not JSON")).toBe(204);
    expect(await lastEvent(url)).toMatchObject({ verified: "unverified", body: "not JSON" });
    expect(lines[0]).toContain("unverified");
  });

  test("more than 20 MiB is refused with 413", async () => {
    const url = await start();
    const limit = 20 * 1024 * 1024;
    expect(await post(url, {}, Buffer.alloc(limit))).toBe(204);
    expect(await lastEvent(url)).toMatchObject({ size: limit, body: null });
    expect(await refusedBeforeReadingAll(url, limit + 1)).toMatch(/^HTTP\/1\.1 413 /u);
    expect((await look(url)).counts.posts).toBe(1);
  });
});

describe("duplicates", () => {
  test("an event that was processed is discarded when it comes again", async () => {
    const url = await start({ secrets: [secret] });
    expect(await post(url, signedHeaders())).toBe(204);
    expect(await post(url, signedHeaders({ attempt: 2 }))).toBe(204);
    const { counts, events } = await look(url);
    expect(counts).toMatchObject({ posts: 2, processed: 1, duplicates: 1 });
    expect(events.map(({ attempt, duplicate }) => [attempt, duplicate])).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  test("an event that was refused is no duplicate when it comes again", async () => {
    const url = await start({ secrets: [secret], fail: 1 });
    expect(await post(url, signedHeaders())).toBe(500);
    expect(await post(url, signedHeaders({ attempt: 2 }))).toBe(204);
    expect((await look(url)).events.map(({ duplicate }) => duplicate)).toEqual([false, false]);
  });

  test("the last 50 POSTs are kept, the newest first", async () => {
    const url = await start();
    for (let n = 1; n <= 52; n += 1) await post(url, { "X-Service-Event-Id": `e${n}` });
    const { counts, events } = await look(url);
    expect(counts.posts).toBe(52);
    expect([events.length, events[0]?.id, events[49]?.id]).toEqual([50, "e52", "e3"]);
  });
});

describe("switches for demonstrations", () => {
  test("fail=N answers 500 to the first N POSTs of each event", async () => {
    const url = await start({ secrets: [secret] });
    const statuses = async (id: string) => [
      await post(`${url}/hook?fail=2`, signedHeaders({ id })),
      await post(`${url}/hook?fail=2`, signedHeaders({ id, attempt: 2 })),
      await post(`${url}/hook?fail=2`, signedHeaders({ id, attempt: 3 })),
    ];
    expect(await statuses("first")).toEqual([500, 500, 204]);
    expect(await statuses("second")).toEqual([500, 500, 204]);
    expect((await look(url)).counts).toMatchObject({ processed: 2, failed: 4 });
  });

  test("the URL overrules what the command line says of failing", async () => {
    const url = await start({ fail: 5 });
    expect(await post(`${url}/?fail=0`, { "X-Service-Event-Id": "a" })).toBe(204);
    expect(await post(url, { "X-Service-Event-Id": "b" })).toBe(500);
  });

  test.each([
    ["?hang", {}],
    ["", { hang: true }],
  ])("hang never answers but shows the POST (%s %o)", async (query, options) => {
    const url = await start({ secrets: [secret], ...options });
    const given = new AbortController();
    const answer = postUntil(`${url}/${query}`, given.signal);
    await expect.poll(async () => (await lastEvent(url))?.status).toBeNull();
    let answered = false;
    void answer.then(() => (answered = true));
    await look(url);
    expect(answered).toBe(false);
    given.abort();
    await expect(answer).resolves.toBe("aborted");
  });

  test("stop ends requests that hang", async () => {
    const url = await start();
    const answer = postUntil(`${url}/?hang`, new AbortController().signal);
    await expect.poll(async () => (await look(url)).counts.failed).toBe(1);
    await running.pop()?.stop();
    await expect(answer).resolves.toBe("aborted");
  });

  test.each([[200], [202], [302], [410], [503]])("status=%i answers that", async (status) => {
    const url = await start({ secrets: [secret] });
    expect(await post(`${url}/?status=${status}`, signedHeaders())).toBe(status);
    expect(await lastEvent(url)).toMatchObject({ status });
  });

  test("a wrong signature is 401 whatever the switches say", async () => {
    const url = await start({ secrets: [secret] });
    expect(await post(`${url}/?status=200&fail=1`, {})).toBe(401);
  });
});

describe("secrets at run time", () => {
  test("a secret added while running verifies from then on", async () => {
    const url = await start();
    await post(url, signedHeaders({ id: "before" }));
    expect(await addSecret(url, secret)).toBe(200);
    await post(url, signedHeaders({ id: "after" }));
    const { secrets, events } = await look(url);
    expect([secrets, ...events.map(({ verified }) => verified)]).toEqual([1, "both", "unverified"]);
  });

  test.each([["whsec_"], ["secret"], [7], [undefined]])("%o is refused with 400", async (added) => {
    const url = await start();
    expect(await addSecret(url, added)).toBe(400);
    expect((await look(url)).secrets).toBe(0);
  });

  test("another content type, as a page in a browser could send it, is refused with 415", async () => {
    const url = await start();
    const body = JSON.stringify({ secret });
    expect(await post(`${url}/secrets`, { "Content-Type": "text/plain" }, body)).toBe(415);
  });

  test("secrets survive a restart in a file that only its owner reads", async () => {
    const secretsFile = join(folder, "deep", "secrets");
    const second = generateSigningSecret();
    const url = await start({ secretsFile });
    expect([await addSecret(url, secret), await addSecret(url, second)]).toEqual([200, 200]);
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(secretsFile, "utf8")).toBe(`${secret}\n${second}\n`);
    const again = await start({ secretsFile });
    expect(await post(again, signedHeaders())).toBe(204);
    expect(await lastEvent(again)).toMatchObject({ verified: "both" });
    expect(await post(again, {})).toBe(401);
  });

  test("a malformed secret at the start is an error that does not repeat it", async () => {
    await expect(startReceiver({ port: 0, secrets: [secret, "hunter2"] })).rejects.toThrow(
      "Secret 2 is not of the form whsec_ and base64.",
    );
  });
});

describe("the command", () => {
  test("the command line wins over the environment, and lists are lists", () => {
    const env = { RECEIVER_PORT: "4100", RECEIVER_SECRET: "whsec_aaaa,whsec_bbbb" };
    expect(parseReceiverCommand([], env)).toMatchObject({
      port: 4100,
      secrets: ["whsec_aaaa", "whsec_bbbb"],
      fail: 0,
      hang: false,
    });
    const args = ["--port", "0", "--secret", "whsec_cccc", "--secret", "whsec_dddd", "--fail", "3"];
    expect(parseReceiverCommand([...args, "--hang"], env)).toMatchObject({
      port: 0,
      secrets: ["whsec_cccc", "whsec_dddd"],
      fail: 3,
      hang: true,
    });
    expect(parseReceiverCommand([], {})).toMatchObject({ port: 4000, secrets: [] });
    expect(parseReceiverCommand(["--help"], {})).toBe("help");
  });

  test.each([["--port", "x"], ["--port", "70000"], ["--fail", "-1"], ["--fial"]])(
    "wrong arguments are named: %s %s",
    (...args) => expect(() => parseReceiverCommand(args, {})).toThrow(args[0]),
  );

  test("the help names every option", () => {
    for (const name of ["--port", "--host", "--secret", "--secrets-file", "--fail", "--hang"])
      expect(receiverHelp).toContain(name);
  });

  test("runs on its own until it is asked to stop", async () => {
    const secretsFile = join(folder, "secrets");
    writeFileSync(secretsFile, `${secret}\n`);
    const args = [
      "--import",
      "tsx/esm",
      "dev/receiver/receiver.ts",
      "--port",
      "0",
      "--secrets-file",
      secretsFile,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const exited = once(child, "exit");
    try {
      const url = /http:\S+\d/u.exec(String((await output.next()).value))?.[0] ?? "";
      expect(await post(url, signedHeaders())).toBe(204);
      expect(String((await output.next()).value)).toContain("verified both");
    } finally {
      child.kill("SIGTERM");
    }
    expect(await exited).toEqual([0, null]);
  });
});

test("only POST is taken on other paths", async () => {
  const url = await start();
  const response = await fetch(`${url}/hook`);
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
});

async function postUntil(url: string, signal: AbortSignal): Promise<number | "aborted"> {
  return await fetch(url, { method: "POST", headers: signedHeaders(), body: bytes, signal }).then(
    (response) => response.status,
    () => "aborted",
  );
}

/** The status line that comes although the announced body was never sent to its end. */
async function refusedBeforeReadingAll(url: string, size: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The receiver may close before it has read everything.
  socket.on("error", () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size + 1_000_000}\r\n\r\n`);
  socket.write(Buffer.alloc(size));
  const [first] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return first.toString("latin1");
}
