import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { localPath } from "../../dev/local.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";
import { runCommand } from "../../dev/run-command.ts";
import { openDatabase } from "../../db/data-source.ts";
import { eventually } from "../support/eventually.ts";
import { buildImage } from "../support/image.ts";
import {
  processEnv,
  startApiProcess,
  startWorkerProcess,
  type TestProcess,
} from "../support/process.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createNamespace } from "../support/worker.ts";

const started: TestProcess[] = [];
let folder: string;
let image: Awaited<ReturnType<typeof buildImage>>;
let name: string;
let databaseUrl: string;
let sink: Sink;

beforeAll(async () => {
  mkdirSync(localPath("test"), { recursive: true });
  folder = mkdtempSync(localPath("test", "image-"));
  image = await buildImage(folder);
  name = `t_image_${randomBytes(4).toString("hex")}`;
  databaseUrl = await createDatabase(inject("mysqlUrl"), name);
  sink = await startSink();
}, 600_000);

afterAll(async () => {
  await Promise.all(started.map(async (one) => await one.kill("SIGKILL")));
  await sink.stop();
  const server = await openDatabase({ url: databaseUrl, poolSize: 1 });
  await server.query(`DROP DATABASE ${name}`);
  await server.destroy();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the image to its end. */
async function runInImage(...args: string[]): Promise<string> {
  const env = processEnv(databaseUrl, {});
  return await runCommand(process.execPath, ["cli/parley.js", ...args], { cwd: image.cwd, env });
}

test("the image is made of what it copies, and says that it is production", () => {
  expect(image.env).toMatchObject({ NODE_ENV: "production" });
  const entries = readdirSync(image.cwd);
  expect(entries.toSorted()).toEqual([
    "cli",
    "dashboard",
    "data",
    "dist",
    "node_modules",
    "package.json",
    "widget",
  ]);
  expect(readdirSync(join(image.cwd, "cli"))).toEqual(["parley.js"]);
  for (const built of ["dashboard", "widget"])
    expect(readdirSync(join(image.cwd, built))).toEqual(["dist"]);
});

test("the image has no compiler of TypeScript", () => {
  const packages = readdirSync(join(image.cwd, "node_modules"));
  for (const left of ["tsx", "esbuild", "rolldown", "vite"]) expect(packages).not.toContain(left);
});

test("API and worker run from the image alone and deliver a webhook", async () => {
  await runInImage("migrate");
  const login = ["--name", "Acme", "--email", "ada@example.com"];
  const said = await runInImage("account:create", ...login);
  const password = /Password: (\S+)/u.exec(said)?.[1];
  const api = await startApiProcess(databaseUrl, { NODE_ENV: "development" }, image.cwd);
  const settings = { NODE_ENV: "development" };
  started.push(api);
  started.push(await startWorkerProcess(databaseUrl, await createNamespace(), settings, image.cwd));

  const page = await fetch(api.url);
  expect(await page.text()).toContain('<div id="root">');
  for (const path of [
    "/book/page.css",
    "/book/page.js",
    "/book/icon.svg",
    "/docs/swagger-ui.css",
  ]) {
    expect([path, (await fetch(`${api.url}${path}`)).status]).toEqual([path, 200]);
  }
  const post = async (path: string, body: object, cookie = ""): Promise<Response> =>
    await fetch(`${api.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Cookie: cookie },
      body: JSON.stringify(body),
    });
  const session = await post("/dashboard/api/session", { email: "ada@example.com", password });
  const cookie = session.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const hook = { url: `${sink.url}/hook`, events: ["*"], channels: null };
  expect((await post("/dashboard/api/subscriptions", hook, cookie)).status).toBe(201);
  const contact = { name: "Grace", phone: "5215512345678" };
  expect((await post("/dashboard/api/contacts", contact, cookie)).status).toBe(201);
  await eventually(() => {
    expect(sink.posts.map(({ headers }) => headers["x-service-event"])).toEqual([
      "contact.created",
    ]);
  }, 30_000);
}, 180_000);
