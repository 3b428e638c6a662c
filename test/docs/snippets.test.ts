import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  attemptHeader,
  attemptTimeoutMs,
  eventIdHeader,
  eventTypeHeader,
  formatWait,
  loopGuardHeader,
  maxAttempts,
  retryWaitsMs,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
} from "../../core/model/workflow/delivery.ts";
import { startReceiver } from "../../dev/receiver/receiver.ts";

const run = promisify(execFile);
const page = readFileSync("docs/receiving-webhooks.md", "utf8");
const vectorFile = z.object({
  vectors: z.array(
    z.object({
      name: z.string(),
      secret: z.string(),
      event_id: z.string(),
      timestamp: z.number(),
      body: z.string(),
      x_service_signature: z.string(),
      webhook_signature: z.string(),
    }),
  ),
});
const { vectors } = vectorFile.parse(
  JSON.parse(readFileSync("docs/webhook-test-vectors.json", "utf8")),
);

/** One question to a snippet: does its function say that the signature fits? */
interface Case {
  name: string;
  call: "service" | "standard";
  secret: string;
  body: string;
  headers: Record<string, string>;
  now: number;
  fits: boolean;
}

/** What the Node block exports. */
interface NodeSnippet {
  verifyService(secret: string, rawBody: Buffer, headers: Case["headers"]): boolean;
  verifyStandard(secret: string, rawBody: Buffer, headers: Case["headers"], now: number): boolean;
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-snippets-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fenced blocks of one language, in the order of the page. */
function blocks(language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)]
    .filter(([, found]) => found === language)
    .map(([, , code]) => code ?? "");
}

function casesOf(vector: (typeof vectors)[number]): Case[] {
  const headers = {
    "x-service-signature": vector.x_service_signature,
    "webhook-id": vector.event_id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": vector.webhook_signature,
  };
  const good = { secret: vector.secret, body: vector.body, headers, now: vector.timestamp };
  const service = { ...good, call: "service" as const };
  const standard = { ...good, call: "standard" as const };
  const wrongDigest = `v1,${"A".repeat(43)}=`;
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const withHeader = (name: string, value: string) => ({ headers: { ...headers, [name]: value } });
  return [
    { ...service, name: "as sent", fits: true },
    { ...service, name: "another body", body: `${vector.body} `, fits: false },
    { ...service, name: "another secret", secret: otherSecret, fits: false },
    {
      ...service,
      name: "no prefix",
      ...withHeader("x-service-signature", vector.x_service_signature.slice(7)),
      fits: false,
    },
    {
      ...service,
      name: "not ASCII",
      ...withHeader("x-service-signature", "é".repeat(71)),
      fits: false,
    },
    { ...service, name: "no headers", headers: {}, fits: false },
    { ...standard, name: "as sent", fits: true },
    { ...standard, name: "300 s later", now: vector.timestamp + 300, fits: true },
    { ...standard, name: "301 s later", now: vector.timestamp + 301, fits: false },
    { ...standard, name: "301 s earlier", now: vector.timestamp - 301, fits: false },
    {
      ...standard,
      name: "second of two signatures",
      ...withHeader("webhook-signature", `${wrongDigest} ${vector.webhook_signature}`),
      fits: true,
    },
    {
      ...standard,
      name: "another signature",
      ...withHeader("webhook-signature", wrongDigest),
      fits: false,
    },
    { ...standard, name: "another id", ...withHeader("webhook-id", "other"), fits: false },
    { ...standard, name: "no number", ...withHeader("webhook-timestamp", "soon"), fits: false },
    { ...standard, name: "another body", body: `${vector.body} `, fits: false },
    { ...standard, name: "another secret", secret: otherSecret, fits: false },
    { ...standard, name: "no headers", headers: {}, fits: false },
  ];
}

const cases = vectors.flatMap(casesOf);
const expected = cases.map(({ name, call, fits }) => [call, name, fits]);

function found(answers: unknown[]): unknown[] {
  return cases.map(({ name, call }, index) => [call, name, answers[index]]);
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((one) => existsSync(join(one, program)));
}

/** Runs a block with lines that answer every case from `cases.json`, as a JSON list. */
async function runBlock(program: string, file: string, code: string): Promise<unknown[]> {
  writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
  writeFileSync(join(folder, file), code);
  const { stdout } = await run(program, [join(folder, file)], { cwd: folder });
  return z.array(z.unknown()).parse(JSON.parse(stdout));
}

describe("the code blocks verify the test vectors and refuse what differs", () => {
  test("Node", async () => {
    const file = join(folder, "verify.mjs");
    writeFileSync(file, blocks("js")[0] ?? "");
    const snippet = (await import(pathToFileURL(file).href)) as NodeSnippet;
    const answers = cases.map(({ call, secret, body, headers, now }) =>
      call === "service"
        ? snippet.verifyService(secret, Buffer.from(body), headers)
        : snippet.verifyStandard(secret, Buffer.from(body), headers, now),
    );
    expect(found(answers)).toEqual(expected);
  });

  test("Python", async () => {
    const driver = `
import json

def answer(case):
    given = (case["secret"], case["body"].encode(), case["headers"])
    if case["call"] == "service":
        return verify_service(*given)
    return verify_standard(*given, case["now"])

with open("cases.json", encoding="utf-8") as cases:
    print(json.dumps([answer(case) for case in json.load(cases)]))
`;
    const answers = await runBlock("python3", "verify.py", `${blocks("python")[0]}\n${driver}`);
    expect(found(answers)).toEqual(expected);
  });

  test("PHP, which runs where there is one", async () => {
    const [code = ""] = blocks("php");
    for (const part of ["function verify_service(", "function verify_standard(", "hash_equals("])
      expect(code).toContain(part);
    if (!isOnPath("php")) return;
    const driver = `
$answers = array_map(fn (array $case) => $case['call'] === 'service'
    ? verify_service($case['secret'], $case['body'], $case['headers'])
    : verify_standard($case['secret'], $case['body'], $case['headers'], $case['now']),
    json_decode(file_get_contents('cases.json'), true));
echo json_encode($answers);
`;
    expect(found(await runBlock("php", "verify.php", `${code}\n${driver}`))).toEqual(expected);
  });
});

test("the block of the README verifies the test vectors and refuses what differs", async () => {
  const readme = readFileSync("README.md", "utf8");
  const [, code = ""] = /^```js\n([\s\S]*?)^```$/mu.exec(readme) ?? [];
  const file = join(folder, "readme.mjs");
  writeFileSync(file, code);
  const { isFromParley } = (await import(pathToFileURL(file).href)) as {
    isFromParley: (secret: string, rawBody: Buffer, signature?: string) => boolean;
  };
  const ofBody = cases.filter(({ call }) => call === "service");
  const answers = ofBody.map(({ secret, body, headers }) =>
    isFromParley(secret, Buffer.from(body), headers["x-service-signature"]),
  );
  expect(answers).toEqual(ofBody.map(({ fits }) => fits));
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
});

test("the shell block signs a POST that the example receiver verifies", async () => {
  const signing = blocks("sh").find((code) => code.includes("openssl"));
  const secret = vectors[0]?.secret ?? "";
  const receiver = await startReceiver({ port: 0, secrets: [secret] });
  try {
    const env = { ...process.env, url: `${receiver.url}/hook`, secret };
    const { stdout } = await run("sh", ["-c", signing ?? "exit 1"], { env });
    expect(stdout).toBe("204\n");
    const shown = (await (await fetch(receiver.url)).json()) as { events: unknown[] };
    expect(shown.events).toMatchObject([{ type: "test.ping", attempt: 1, verified: "service" }]);
  } finally {
    await receiver.stop();
  }
});

describe("the page says what the code does", () => {
  test("every header of a delivery is in the table and in the example", () => {
    const headers = [
      eventTypeHeader,
      eventIdHeader,
      signatureHeader,
      attemptHeader,
      loopGuardHeader,
      webhookIdHeader,
      webhookTimestampHeader,
      webhookSignatureHeader,
    ];
    const [example = ""] = blocks("http");
    for (const header of headers) {
      expect(page).toMatch(new RegExp(`^\\| \`${header}\``, "mu"));
      expect(example).toContain(`\n${header}: `);
    }
  });

  test("the example delivery is a test vector", () => {
    const [example = ""] = blocks("http");
    const vector = vectors.find(({ event_id }) => example.includes(`webhook-id: ${event_id}`));
    expect(example).toContain(`X-Service-Signature: ${vector?.x_service_signature}`);
    expect(example).toContain(`webhook-signature: ${vector?.webhook_signature}`);
    expect(example).toContain(`webhook-timestamp: ${vector?.timestamp}`);
  });

  test("the retries are the waits of a delivery", () => {
    const rows = [...page.matchAll(/^\| (\d|none) +\| (.*?) +\| (.*?) +\|$/gmu)];
    let sinceFirstMs = 0;
    const waits = retryWaitsMs.map((waitMs, index) => {
      sinceFirstMs += waitMs;
      const last = index + 1 === maxAttempts;
      const sent = last
        ? `after attempt ${index + 1}: discarded`
        : `after attempt ${index + 1} failed`;
      const attempt = last ? "none" : String(index + 2);
      return [attempt, `${formatWait(waitMs)} ${sent}`, formatWait(sinceFirstMs)];
    });
    expect(rows.map(([, ...cells]) => cells)).toEqual([["1", "at once", "0 s"], ...waits]);
    expect(page).toContain(`within ${attemptTimeoutMs / 1000} seconds`);
  });

  test("every vector is explained", () => {
    expect(vectors).toHaveLength(3);
    for (const { name } of vectors)
      expect(page).toMatch(new RegExp(`^\\| ${name.replaceAll("+", "\\+")} +\\|`, "mu"));
  });
});
