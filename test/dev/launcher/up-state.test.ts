import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSecretBox, generateSecretKey } from "../../../core/secrets.ts";
import {
  ensureSecretKey,
  readUpState,
  writeUpState,
  type UpState,
} from "../../../dev/launcher/up-state.ts";

const state: UpState = {
  apiUrl: "http://127.0.0.1:3000",
  apiKey: "parley_key",
  admin: { email: "admin@example.com", password: "secret" },
  temporalAddress: "127.0.0.1:7233",
  temporalUiUrl: null,
  databaseUrl: "mysql://parley:secret@127.0.0.1:3307/parley",
  receiverUrl: "http://127.0.0.1:4000",
  standIns: {},
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-state-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function modeOf(name: string): string {
  return (statSync(join(folder, name)).mode & 0o777).toString(8);
}

test("up.json holds what was printed, for its owner alone, and is replaced as a whole", () => {
  writeUpState(folder, { ...state, apiKey: null });
  writeUpState(folder, state);
  expect(readUpState(folder)).toEqual(state);
  expect(JSON.parse(readFileSync(join(folder, "up.json"), "utf8"))).toEqual(state);
  expect(modeOf("up.json")).toBe("600");
});

test.each([
  ["missing", null],
  ["cut off", '{"apiUrl":"http://127.0'],
  ["of another form", '{"apiUrl":"http://127.0.0.1:3000"}'],
  ["empty", ""],
])("an up.json that is %s counts as lost", (_what, text) => {
  if (text !== null) writeFileSync(join(folder, "up.json"), text);
  expect(readUpState(folder)).toBeNull();
});

test("a secret key is made once, for its owner alone, and kept", () => {
  const made = ensureSecretKey(folder, undefined);
  expect(createSecretBox(made).currentKeyId).toBe("local");
  expect(ensureSecretKey(folder, undefined)).toBe(made);
  expect(modeOf("secret.key")).toBe("600");
});

test("a given secret key is used instead and the kept one stays", () => {
  const kept = ensureSecretKey(folder, undefined);
  const given = generateSecretKey("given");
  expect(ensureSecretKey(folder, given)).toBe(given);
  expect(ensureSecretKey(folder, undefined)).toBe(kept);
});

test("a key that cannot be used is refused with where it comes from, and is not replaced", () => {
  const path = join(folder, "secret.key");
  writeFileSync(path, "local:tooshort\n");
  expect(() => ensureSecretKey(folder, undefined)).toThrow(`${path} cannot be used`);
  expect(readFileSync(path, "utf8")).toBe("local:tooshort\n");
  expect(() => ensureSecretKey(folder, "nonsense")).toThrow("SECRET_KEY cannot be used");
});
