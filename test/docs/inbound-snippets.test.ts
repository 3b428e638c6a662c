import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inboundErrors } from "../../api/openapi/inbound.ts";
import { errorCatalogue } from "../../core/model/error-catalogue.ts";
import { inboundActions } from "../../core/model/inbound.ts";
import { createTestEndpoint } from "../api/inbound/inbound-fixture.ts";
import { startApiFixture, type ApiFixture } from "../api/api-fixture.ts";

const run = promisify(execFile);
const page = readFileSync("docs/inbound-webhooks.md", "utf8");
const data = { phone: "5215512345678", name: "Zoë 👩‍🚀" };
let folder: string;
let fixture: ApiFixture;

/** What the Node blocks export. */
type Call = (url: string, secret: string, event: string, body: object, id: string) => unknown;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-inbound-"));
  fixture = await startApiFixture();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture.stop();
});

function blocks(language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)]
    .filter(([, found]) => found === language)
    .map(([, , code]) => code ?? "");
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((one) => existsSync(join(one, program)));
}

async function openEndpoint(strict = false) {
  const endpoint = await createTestEndpoint(fixture, { strict });
  return { ...endpoint, url: fixture.api.url + endpoint.path };
}

const created = {
  success: true,
  data: { event: "contact.upsert", result: "created", contact_id: expect.any(Number) },
};

test.each([
  ["callParley", false],
  ["callStrictly", true],
])("the Node block with %s makes a contact", async (name, strict) => {
  const { url, secret } = await openEndpoint(strict);
  const code = blocks("js").find((block) => block.includes(name)) ?? "";
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  const snippet = (await import(pathToFileURL(file).href)) as Record<string, Call>;
  const answers = [
    await snippet[name]?.(url, secret, "contact.upsert", data, "crm-1"),
    await snippet[name]?.(url, secret, "contact.upsert", data, "crm-1"),
  ];
  expect(answers).toEqual([created, created]);
});

test("the Python block makes a contact", async () => {
  const { url, secret } = await openEndpoint();
  const call = `call_parley(${JSON.stringify(url)}, ${JSON.stringify(secret)}, "contact.upsert", json.loads(${JSON.stringify(JSON.stringify(data))}), "crm-1")`;
  writeFileSync(join(folder, "call.py"), `${blocks("python")[0]}\nprint(json.dumps(${call}))\n`);
  const { stdout } = await run("python3", [join(folder, "call.py")]);
  expect(JSON.parse(stdout)).toEqual(created);
});

test("the PHP block makes a contact, where there is a PHP", async () => {
  const [code = ""] = blocks("php");
  expect(code).toContain("hash_hmac('sha256', $body, $secret)");
  if (!isOnPath("php")) return;
  const { url, secret } = await openEndpoint();
  const json = JSON.stringify(data);
  const call = `echo json_encode(call_parley('${url}', '${secret}', 'contact.upsert', json_decode('${json}', true), 'crm-1'));`;
  writeFileSync(join(folder, "call.php"), `${code}\n${call}\n`);
  const { stdout } = await run("php", [join(folder, "call.php")]);
  expect(JSON.parse(stdout)).toEqual(created);
});

test("the shell block tags a contact", async () => {
  const { url, secret, act } = await openEndpoint();
  await act("contact.upsert", data);
  const signing = blocks("sh").find((code) => code.includes("openssl"));
  const env = { ...process.env, url, secret };
  const { stdout } = await run("sh", ["-c", signing ?? "exit 1"], { env });
  expect(JSON.parse(stdout).data).toMatchObject({ event: "contact.tag.add", result: "updated" });
});

test("the page names every action and every refusal with its status", () => {
  for (const { event } of inboundActions)
    expect(page).toMatch(new RegExp(`^\\| \`${event}\``, "mu"));
  for (const code of inboundErrors) {
    const { status } = errorCatalogue[code];
    expect(page).toMatch(new RegExp(`^\\| ${status >= 500 ? "5xx" : status} .*\`${code}\``, "mu"));
  }
});
