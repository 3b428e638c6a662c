import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { findChromium, type ChromiumProgram } from "../../dev/chromium.ts";
import { isRunning, stopLeftover } from "../../dev/leftover.ts";
import { localPath, partLog, type Log } from "../../dev/local.ts";
import { openDatabase } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { createDatabase, startMysql } from "../../dev/mysql.ts";
import { startTemporal } from "../../dev/temporal.ts";
import { findTimeSkippingServer, type TimeSkippingExecutable } from "../../dev/time-skipping.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A MySQL where tests may create databases; the URL names none. */
    mysqlUrl: string;
    /** An empty, migrated database there, after which tests make theirs. */
    mysqlTemplate: string;
    /** `host:port` of a Temporal server in memory, namespace `default`. */
    temporalAddress: string;
    /** For `TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })`. */
    timeSkippingExecutable: TimeSkippingExecutable;
    /** For `openBrowser` of browser.ts. */
    chromium: ChromiumProgram;
  }
}

type Part<T> = { value: T; stop: () => Promise<void> };

const runFolder = localPath("test", `run-${process.pid}`);
const nothingToStop = async (): Promise<void> => undefined;

/**
 * Gives this run servers of its own, started side by side, so that two runs never meet, and clears
 * what killed runs left. `DATABASE_URL_TEST` and `TEMPORAL_ADDRESS_TEST` name servers to use instead.
 * @returns what vitest calls at the end: it stops the servers and removes their data
 * @throws when any part is missing, naming the ways to get it: no test is skipped silently
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearDeadRuns(partLog("tests"));
  const started: Part<unknown>[] = [];
  const keep = <T>(part: Part<T>): T => {
    started.push(part);
    return part.value;
  };
  const stopAll = async (): Promise<void> => {
    await Promise.all(started.map(async (part) => await part.stop()));
    rmSync(runFolder, { recursive: true, force: true });
  };
  const parts = await Promise.allSettled([
    mysqlPart().then((part) => {
      const { url, template } = keep(part);
      project.provide("mysqlUrl", url);
      project.provide("mysqlTemplate", template);
    }),
    temporalPart().then((part) => project.provide("temporalAddress", keep(part))),
    timeSkippingPart().then((part) => project.provide("timeSkippingExecutable", keep(part))),
    chromiumPart().then((part) => project.provide("chromium", keep(part))),
  ]);
  const failed = parts.find((part) => part.status === "rejected");
  if (failed === undefined) return stopAll;
  await stopAll();
  throw failed.reason;
}

/** Where tests may create databases, and the one that they make theirs after. */
interface MysqlForTests {
  url: string;
  template: string;
}

async function mysqlPart(): Promise<Part<MysqlForTests>> {
  const log = partLog("mysql");
  const given = process.env["DATABASE_URL_TEST"];
  if (given !== undefined) {
    const { value: url } = useGiven(given, "DATABASE_URL_TEST", log);
    const template = await createTemplate(url);
    return { value: { url, template }, stop: async () => await dropTemplate(url, template) };
  }
  const server = await startMysql({
    dataDir: join(runFolder, "mysql"),
    templateDir: localPath("test", "mysql-template"),
    port: 0,
    durable: false,
    log,
  });
  try {
    const { url, stop } = server;
    return { value: { url, template: await createTemplate(url) }, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function createTemplate(url: string): Promise<string> {
  const name = `t_template_${process.pid}`;
  // One connection holds the lock of the migrations meanwhile.
  const options = { url: await createDatabase(url, name), poolSize: 2 };
  const dataSource = await openDatabase(options);
  await migrate(dataSource);
  await dataSource.destroy();
  return name;
}

async function dropTemplate(url: string, name: string): Promise<void> {
  const dataSource = await openDatabase({ url, poolSize: 1 });
  await dataSource.query(`DROP DATABASE ${name}`);
  await dataSource.destroy();
}

async function temporalPart(): Promise<Part<string>> {
  const log = partLog("temporal");
  const given = process.env["TEMPORAL_ADDRESS_TEST"];
  if (given !== undefined) return useGiven(given, "TEMPORAL_ADDRESS_TEST", log);
  const server = await startTemporal({
    headless: true,
    port: 0,
    pidFile: join(runFolder, "temporal.pid"),
    logFile: localPath("log", "test-temporal.log"),
    log,
  });
  return { value: server.address, stop: server.stop };
}

async function timeSkippingPart(): Promise<Part<TimeSkippingExecutable>> {
  const value = await findTimeSkippingServer(partLog("skipping"));
  return { value, stop: nothingToStop };
}

async function chromiumPart(): Promise<Part<ChromiumProgram>> {
  const log = partLog("chromium");
  const value = await findChromium(log);
  log(value.source);
  return { value, stop: nothingToStop };
}

function useGiven(value: string, variable: string, log: Log): Part<string> {
  log(`as ${variable} says`);
  return { value, stop: nothingToStop };
}

async function clearDeadRuns(log: Log): Promise<void> {
  const folder = localPath("test");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => one.startsWith("run-"))) {
    const pid = Number(name.slice("run-".length));
    if (pid !== process.pid && isRunning(pid)) continue;
    await stopLeftover(join(folder, name, "mysql", "mysqld.pid"), log);
    await stopLeftover(join(folder, name, "temporal.pid"), log);
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}
