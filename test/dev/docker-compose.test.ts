import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadConfig, refuseUnsafeProduction, settings } from "../../core/config.ts";
import { createSecretBox } from "../../core/secrets.ts";
import { readTemporalSettings } from "../../worker/temporal.ts";

const run = promisify(execFile);

const environment = z.record(z.string(), z.string());
const service = z.object({
  image: z.string().optional(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: environment.optional(),
  ports: z.array(z.string()).optional(),
  extra_hosts: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  stop_grace_period: z.string().optional(),
});
const composeFile = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const composeText = readFileSync("docker-compose.yml", "utf8");
const compose = composeFile.parse(parse(composeText, { merge: true }));
const ours = ["migrate", "api", "worker"];

const dockerfile = readFileSync("Dockerfile", "utf8");
const manifest = z
  .object({ dependencies: environment, scripts: environment })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

/** The command of an npm script. `exec` hands on npm's signals, which a container does not need. */
function scriptOf(name: string): string {
  return (manifest.scripts[name] ?? "").replace(/^exec /u, "");
}

function serviceOf(name: string): z.infer<typeof service> {
  return compose.services[name] ?? {};
}

/** What Compose makes of `${NAME:-default}` where the surroundings set nothing. */
function withDefaults(text: string): string {
  const inner = text.replace(/\$\{\w+:-([^${}]*)\}/gu, "$1");
  return inner === text ? text : withDefaults(inner);
}

function environmentOf(name: string): Record<string, string> {
  const entries = Object.entries(serviceOf(name).environment ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, withDefaults(value)]));
}

describe("docker-compose.yml", () => {
  test("has the servers, the migrations and the two processes", () => {
    expect(Object.keys(compose.services)).toEqual(["mysql", "temporal", ...ours]);
    expect(ours.map((name) => serviceOf(name).build)).toEqual([".", ".", "."]);
  });

  test("pins the versions that npm start uses", () => {
    const { image: mysql = "" } = serviceOf("mysql");
    const [name, tag] = (serviceOf("temporal").image ?? "").split(":");
    expect(mysql).toBe("mysql:8.4");
    expect(readFileSync("dev/servers/mysql-docker.ts", "utf8")).toContain(`"${mysql}"`);
    expect(name).toBe("temporalio/temporal");
    expect(readFileSync("dev/servers/find-temporal.ts", "utf8")).toContain(
      `/cmd/temporal@v${tag}"`,
    );
  });

  test("runs each process by the command of its npm script", () => {
    const commands = ours.map((name) => serviceOf(name).command?.join(" "));
    expect(commands).toEqual([scriptOf("migrate"), undefined, scriptOf("worker")]);
  });

  test("gives each process the time to stop that docs/operating.md names", () => {
    const named = /Give a process (\d+) s to stop/u.exec(readFileSync("docs/operating.md", "utf8"));
    const given = ["api", "worker"].map((name) => serviceOf(name).stop_grace_period);
    expect(given).toEqual([`${named?.[1]}s`, `${named?.[1]}s`]);
  });

  test("starts everything after what it needs", () => {
    expect(ours.map((name) => serviceOf(name).depends_on)).toEqual([
      { mysql: { condition: "service_healthy" } },
      { migrate: { condition: "service_completed_successfully" } },
      {
        migrate: { condition: "service_completed_successfully" },
        temporal: { condition: "service_healthy" },
      },
    ]);
  });

  test("opens the API, Temporal and its UI, to this machine only", () => {
    const ports = Object.values(compose.services).flatMap((one) => one.ports ?? []);
    const { port } = loadConfig(environmentOf("api"));
    expect(ports).toEqual(["7233", "8233", String(port)].map((one) => `127.0.0.1:${one}:${one}`));
    expect(environmentOf("api")["TEMPORAL_UI_URL"]).toBe("http://localhost:8233");
    expect(environmentOf("worker")["TEMPORAL_ADDRESS"]).toBe("temporal:7233");
  });

  test("keeps the data of both servers, and files", () => {
    expect(serviceOf("mysql").volumes).toEqual(["mysql-data:/var/lib/mysql"]);
    expect(serviceOf("temporal").volumes).toEqual(["temporal-data:/home/temporal"]);
    expect(serviceOf("temporal").command).toContain("--db-filename=/home/temporal/temporal.db");
    expect(Object.keys(compose.volumes)).toEqual(["media-data", "mysql-data", "temporal-data"]);
    for (const name of ours)
      expect(serviceOf(name).volumes).toEqual([`media-data:${environmentOf(name)["MEDIA_DIR"]}`]);
  });

  test("runs MySQL as the processes demand it", () => {
    expect(serviceOf("mysql").command).toEqual([
      "--default-time-zone=+00:00",
      "--character-set-server=utf8mb4",
      "--collation-server=utf8mb4_0900_ai_ci",
    ]);
    const { MYSQL_USER, MYSQL_PASSWORD, MYSQL_DATABASE } = environmentOf("mysql");
    const url = `mysql://${MYSQL_USER}:${MYSQL_PASSWORD}@mysql:3306/${MYSQL_DATABASE}`;
    expect(ours.map((name) => environmentOf(name)["DATABASE_URL"])).toEqual([url, url, url]);
  });
});

describe("the settings in docker-compose.yml", () => {
  /** Read by the Temporal SDK. */
  const temporal = [
    "TEMPORAL_ADDRESS",
    "TEMPORAL_API_KEY",
    "TEMPORAL_TLS",
    "TEMPORAL_TLS_SERVER_NAME",
    "TEMPORAL_TLS_SERVER_CA_CERT_DATA",
    "TEMPORAL_TLS_CLIENT_CERT_DATA",
    "TEMPORAL_TLS_CLIENT_KEY_DATA",
  ];
  const known = [...Object.keys(settings), ...temporal];
  /** Fixed inside a container, where nobody else wants the port or the folder. */
  const fixed = ["PORT", "HOST", "METRICS_PORT", "METRICS_HOST", "MEDIA_DIR"];

  test.each(ours)("%s gets no variable that no process knows", (name) => {
    const unknown = Object.keys(environmentOf(name)).filter((key) => !known.includes(key));
    expect(unknown).toEqual([]);
  });

  test.each(ours)("%s starts with the defaults", (name) => {
    const config = loadConfig(environmentOf(name));
    expect(() => createSecretBox(config.secretKey)).not.toThrow();
    expect(config).toMatchObject({
      production: false,
      allowPrivateTargets: true,
      publicUrl: `http://localhost:${config.port}`,
      host: "0.0.0.0",
    });
  });

  test("every setting can be set from outside, under its own name", () => {
    const given = serviceOf("api").environment ?? {};
    const fromOutside = known.filter((name) => !fixed.includes(name));
    expect(fromOutside.filter((name) => !given[name]?.startsWith(`\${${name}:-`))).toEqual([]);
  });

  test(".env.example says which settings it fixes", () => {
    const example = readFileSync(".env.example", "utf8");
    const line = /^# Docker Compose itself sets (.*) in its containers\.$/mu.exec(example)?.[1];
    expect(line?.split(/, | and /u).toSorted()).toEqual(fixed.toSorted());
  });

  test.each(ours)("%s knows this machine by the name that Docker gives it", (name) => {
    expect(serviceOf(name).extra_hosts).toEqual(["host.docker.internal:host-gateway"]);
  });

  test("a cluster is reached without TLS where nothing else is set", () => {
    const { connectionOptions } = readTemporalSettings(environmentOf("worker"));
    expect(connectionOptions).toMatchObject({ address: "temporal:7233", tls: undefined });
  });

  test.each(ours)("%s refuses what is left unsafe in production", (name) => {
    const config = loadConfig({ ...environmentOf(name), NODE_ENV: "production" });
    expect(() => refuseUnsafeProduction(config)).toThrow(
      /ALLOW_PRIVATE_TARGETS: .*\n\s+SECRET_KEY: .*\n\s+PUBLIC_URL: /u,
    );
  });

  test("all three processes get the same", () => {
    expect(environmentOf("worker")).toEqual(environmentOf("api"));
    expect(environmentOf("migrate")).toEqual(environmentOf("api"));
  });

  test("only settings and MySQL's passwords come from outside", () => {
    const names = [...composeText.matchAll(/\$\{(\w+)/gu)].map(([, name]) => name ?? "");
    const others = new Set(names.filter((name) => !known.includes(name)));
    expect(others).toEqual(new Set(["MYSQL_PASSWORD", "MYSQL_ROOT_PASSWORD"]));
  });
});

describe("the health checks in docker-compose.yml", () => {
  const stops: (() => void)[] = [];
  afterEach(() => stops.splice(0).forEach((stop) => stop()));

  /** Runs the check of a service against a port of ours; gives its exit code. */
  async function check(
    name: string,
    status: number | null,
  ): Promise<{ code: number; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(status ?? 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    if (status === null) await new Promise((resolve) => server.close(resolve));
    const [, , ...args] = serviceOf(name).healthcheck?.test ?? [];
    const moved = args.map((arg) => arg.replace(/127\.0\.0\.1:\d+/u, `127.0.0.1:${port}`));
    const code = await run(process.execPath, moved).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    return { code, asked };
  }

  test("everything that keeps running has one that needs no shell", () => {
    const checks = Object.entries(compose.services).map(([name, one]) => [
      name,
      one.healthcheck?.test[0],
    ]);
    expect(checks).toEqual([
      ["mysql", "CMD"],
      ["temporal", "CMD"],
      ["migrate", undefined],
      ["api", "CMD"],
      ["worker", "CMD"],
    ]);
  });

  test("MySQL is asked over TCP, which it opens only when it is ready", () => {
    expect(serviceOf("mysql").healthcheck?.test).toContain("--host=127.0.0.1");
  });

  test.each([
    ["api", "/readyz"],
    ["worker", "/metrics"],
  ])("%s is healthy only while it answers 200 on %s", async (name, path) => {
    expect(await check(name, 200)).toEqual({ code: 0, asked: [path] });
    expect(await check(name, 503)).toEqual({ code: 1, asked: [path] });
    expect(await check(name, null)).toEqual({ code: 1, asked: [] });
  });

  test("they ask the ports that the processes listen on", () => {
    const config = loadConfig(environmentOf("api"));
    const asked = (name: string) => serviceOf(name).healthcheck?.test.join(" ");
    expect(asked("api")).toContain(`127.0.0.1:${config.port}/readyz`);
    expect(readFileSync("api/health.ts", "utf8")).toContain('"/readyz"');
    expect(asked("worker")).toContain(`127.0.0.1:${config.metricsPort}/metrics`);
    expect(readFileSync("core/metrics.ts", "utf8")).toContain('"/metrics"');
  });
});

describe("the image", () => {
  const processes = ["cli/main.ts", "api/main.ts", "worker/main.ts", "workflows/index.ts"];
  /** Sources of every COPY out of the project in the stage that builds. */
  const copied = copySources(stageOf("build"));
  const reached = reachFrom(["dev/build/build.ts", ...processes]);

  test("is built with everything that the build and the processes import", () => {
    const missing = reached.files.filter((file) => !copied.some((one) => isWithin(file, one)));
    expect(missing).toEqual([]);
    expect(manifest.scripts["build"]).toContain("dev/build/build.ts");
  });

  test("is built with nothing else but settings and what Dashboard and web chat are made of", () => {
    const unused = copied.filter((one) => !reached.files.some((file) => isWithin(file, one)));
    const settings = [".npmrc", "package-lock.json", "package.json", "tsconfig.json"];
    const dashboard = ["dashboard", "docs/receiving-webhooks.md", "docs/webhook-test-vectors.json"];
    expect(unused.toSorted()).toEqual([...settings, ...dashboard, "widget"].toSorted());
  });

  test("takes no source along", () => {
    expect(copySources(lastStage())).toEqual(["package.json", "cli/parley.js"]);
  });

  test("has every package that the processes import, without the development ones", () => {
    const known = Object.keys(manifest.dependencies);
    const { packages } = reachFrom(processes);
    expect(packages.filter((name) => !known.includes(name))).toEqual([]);
    expect(dockerfile).toContain("npm ci --omit=dev");
  });

  test("is built from what .dockerignore lets through, and that is nothing more", () => {
    const [first, ...rest] = readFileSync(".dockerignore", "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(first).toBe("*");
    expect(new Set(rest)).toEqual(new Set(copySources(dockerfile).map((source) => `!${source}`)));
  });

  test("runs the API as a user without rights, and no shell", () => {
    const instructions = dockerfile.split("\n").filter((line) => /^[A-Z]+ /u.test(line));
    const words = instructions.map((line) => line.split(" ")[0]);
    expect(words).not.toContain("ENTRYPOINT");
    expect(words.lastIndexOf("COPY")).toBeLessThan(words.lastIndexOf("USER"));
    expect(instructions).toContain("USER node");
    const command = scriptOf("api").split(" ");
    expect(instructions.at(-1)).toBe(`CMD ${JSON.stringify(command).replaceAll(",", ", ")}`);
    const { port } = loadConfig(environmentOf("api"));
    expect(instructions).toContain(`EXPOSE ${port}`);
  });

  test("can make the first account by the command that docker-compose.yml names", () => {
    const named = /docker compose run --rm api (node \S+ \S+)/u.exec(composeText)?.[1];
    expect(named).toBe(scriptOf("account:create"));
  });
});

function stageOf(name: string): string {
  return dockerfile.split("\nFROM ").find((one) => one.includes(` AS ${name}\n`)) ?? "";
}

function lastStage(): string {
  return dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
}

function copySources(text: string): string[] {
  const lines = [...text.matchAll(/^COPY (?!--from)(.+)$/gmu)].map(([, rest = ""]) =>
    rest.split(/\s+/u),
  );
  return lines.flatMap((words) => words.slice(0, -1));
}

function isWithin(file: string, source: string): boolean {
  return file === source || file.startsWith(`${source}/`);
}

/** Every file that the entries load, themselves included, and every package. Types load nothing. */
function reachFrom(entries: string[]): { files: string[]; packages: string[] } {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files) {
    if (!existsSync(file)) throw new Error(`${file} does not exist.`);
    for (const name of importsOf(readFileSync(file, "utf8"))) {
      if (name.startsWith(".")) files.add(relative(".", join(dirname(file), name)));
      else if (!name.startsWith("node:")) packages.add(packageOf(name));
    }
  }
  return { files: [...files], packages: [...packages] };
}

function importsOf(source: string): string[] {
  const patterns = [
    /^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gmu,
    /^import "([^"]+)";/gmu,
    /\bimport\("([^"]+)"\)/gu,
    /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/gu,
    /\.resolve\("([^"]+)"\)/gu,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name = ""]) => name));
}

function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}
