import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  checkStandIns,
  parseUpCommand,
  readUpSettings,
  upHelp,
  UsageError,
} from "../../../dev/launcher/up-settings.ts";

const run = promisify(execFile);

test("the stand-ins start only where the command line asks for them", () => {
  expect(parseUpCommand([])).toEqual({ help: false, standIns: false });
  expect(parseUpCommand(["--stand-ins"])).toEqual({ help: false, standIns: true });
  expect(() => parseUpCommand(["--stand-in"])).toThrow(UsageError);
});

test("the help names the stand-ins and their port", () => {
  expect(upHelp).toContain("--stand-ins");
  expect(upHelp).toContain("STAND_IN_PORT");
  expect(readUpSettings({ STAND_IN_PORT: "4100" }).STAND_IN_PORT).toBe(4_100);
  expect(() => readUpSettings({ STAND_IN_PORT: "x" })).toThrow(/STAND_IN_PORT/);
});

test.each([
  [{ NODE_ENV: "production" }, /NODE_ENV must not be production/],
  [{ META_GRAPH_URL: "http://127.0.0.1:4020" }, /sets META_GRAPH_URL itself/],
  [{ META_INSTAGRAM_URL: "http://127.0.0.1:4020" }, /sets META_INSTAGRAM_URL itself/],
  [{ GOOGLE_TOKEN_URL: "http://127.0.0.1:4030/token" }, /sets GOOGLE_TOKEN_URL itself/],
  [{ CALENDLY_API_URL: "http://127.0.0.1:4040" }, /sets CALENDLY_API_URL itself/],
  [{ GOOGLE_CLIENT_ID: "own.apps.googleusercontent.com" }, /sets GOOGLE_CLIENT_ID itself/],
])("stand-ins are refused with %o", (env, words) => {
  expect(() => checkStandIns(readUpSettings(env))).toThrow(words);
});

test("stand-ins are taken at a desk, and an empty variable is none", () => {
  expect(() => checkStandIns(readUpSettings({}))).not.toThrow();
  expect(() => checkStandIns(readUpSettings({ META_GRAPH_URL: "" }))).not.toThrow();
});

test("npm start -- --stand-ins ends at once in production, and starts nothing", async () => {
  const args = ["--import", "tsx/esm", "dev/launcher/up.ts", "--stand-ins"];
  const env = { PATH: process.env["PATH"], NODE_ENV: "production" };
  const ended = await run(process.execPath, args, { env }).catch((error: unknown) => error);
  expect(ended).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("NODE_ENV must not be production"),
  });
});
