import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  snippetLanguages,
  snippetOf,
  type SnippetLanguage,
} from "../../dashboard/src/features/inbound/snippets.ts";
import { createTestEndpoint } from "../api/inbound/inbound-fixture.ts";
import { startApiFixture, type ApiFixture } from "../api/api-fixture.ts";

const run = promisify(execFile);
/** Quotes, a backslash, an escape of JSON and bytes beyond ASCII: all that a literal can get wrong. */
const name = `O'Brien \\ "Zoë"\n👩‍🚀`;
const body = JSON.stringify({ event: "contact.upsert", data: { phone: "5215512345678", name } });
let folder: string;
let fixture: ApiFixture;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-snippets-"));
  fixture = await startApiFixture();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture.stop();
});

const programs = {
  curl: ["sh", "call.sh"],
  node: [process.execPath, "call.mjs"],
  python: ["python3", "call.py"],
  php: ["php", "call.php"],
} as const satisfies Record<SnippetLanguage, readonly [string, string]>;

function isThere(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return existsSync(program) || folders.some((one) => existsSync(join(one, program)));
}

const cases = snippetLanguages.flatMap((language) =>
  [false, true].map((strict) => ({ language, strict })),
);

test.each(cases)(
  "the $language program, strict: $strict, makes the contact that its body names (PHP where there is one)",
  async ({ language, strict }) => {
    const endpoint = await createTestEndpoint(fixture, { strict });
    const code = snippetOf(language, { url: fixture.api.url + endpoint.path, strict, body });
    expect(code).not.toContain(endpoint.secret);
    const [program, file] = programs[language];
    if (language === "php" && !isThere(program)) return;
    writeFileSync(join(folder, file), code);
    const env = { ...process.env, PARLEY_SECRET: endpoint.secret };
    const { stdout } = await run(program, [join(folder, file)], { env });
    expect(stdout).toContain('"result":"created"');
    const [entry] = await endpoint.log();
    expect(entry).toMatchObject({ verdict: "done", event_id: "crm-4711", body });
    const contacts = await fixture.query<{ name: string }>(
      "SELECT name FROM contacts WHERE account_id = ?",
      [endpoint.account.accountId],
    );
    expect(contacts).toHaveLength(1);
  },
);
