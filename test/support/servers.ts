import { rmSync } from "node:fs";
import { join } from "node:path";
import mysql from "mysql2/promise";
import type { ProvidedContext } from "vitest";
import { findChromium, type ChromiumProgram } from "../../dev/servers/chromium.ts";
import { localPath, partLog, repositoryRoot } from "../../dev/local.ts";
import { openDatabase } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { createDatabase, startMysql } from "../../dev/servers/mysql.ts";
import { startTemporal } from "../../dev/servers/temporal.ts";
import {
  findTimeSkippingServer,
  type TimeSkippingExecutable,
} from "../../dev/servers/time-skipping.ts";
import type { Need } from "./needs.ts";
import { clearDeadRuns, runFolder } from "./run-folder.ts";

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
    /** Folder in which `cli/parley.js` runs the present sources. */
    serverBuild: string;
  }
}

/** Running servers, and what tests inject of them. */
export interface TestServers {
  provided: Partial<ProvidedContext>;
  /** Stops the servers and removes their data. */
  stop: () => Promise<void>;
}

type Part = { provided: Partial<ProvidedContext>; stop?: () => Promise<void> };

/**
 * Starts servers side by side and for this process only, so that two runs never meet, and clears what
 * killed runs left. `DATABASE_URL_TEST` and `TEMPORAL_ADDRESS_TEST` name servers to use instead.
 * @throws when any part is missing, naming the ways to get it: no test is skipped silently
 */
export async function startTestServers(needs: ReadonlySet<Need>): Promise<TestServers> {
  await clearDeadRuns(localPath("test"), partLog("tests"));
  const starts: Promise<Part>[] = [];
  if (needs.has("mysqlUrl") || needs.has("mysqlTemplate")) starts.push(startMysqlPart());
  if (needs.has("temporalAddress")) starts.push(startTemporalPart());
  if (needs.has("timeSkippingExecutable")) starts.push(findTimeSkippingPart());
  if (needs.has("chromium")) starts.push(findChromiumPart());
  if (needs.has("serverBuild")) starts.push(buildServerPart());
  const results = await Promise.allSettled(starts);
  const parts = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map(async (part) => await part.stop?.()));
    rmSync(runFolder, { recursive: true, force: true });
  };
  const failed = results.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { provided: Object.assign({}, ...parts.map(({ provided }) => provided)), stop };
}

async function startMysqlPart(): Promise<Part> {
  const log = partLog("mysql");
  const given = process.env["DATABASE_URL_TEST"];
  if (given !== undefined) {
    log("as DATABASE_URL_TEST says");
    const template = await createTemplate(given);
    const stop = async () => await dropTemplate(given, template);
    return { provided: { mysqlUrl: given, mysqlTemplate: template }, stop };
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
    return { provided: { mysqlUrl: url, mysqlTemplate: await createTemplate(url) }, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function createTemplate(url: string): Promise<string> {
  const name = `t_${process.pid}`;
  // One connection holds the lock of the migrations meanwhile.
  const options = { url: await createDatabase(url, name), poolSize: 2 };
  const dataSource = await openDatabase(options);
  await migrate(dataSource);
  await dataSource.destroy();
  return name;
}

/**
 * Drops the template and its copies. At the end of a run, vitest has closed what it loads entities with.
 */
async function dropTemplate(url: string, template: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  const [rows] = await connection.query("SHOW DATABASES");
  for (const { Database: name } of rows as { Database: string }[]) {
    if (`${name}_`.startsWith(`${template}_`)) await connection.query(`DROP DATABASE ${name}`);
  }
  await connection.end();
}

async function startTemporalPart(): Promise<Part> {
  const log = partLog("temporal");
  const given = process.env["TEMPORAL_ADDRESS_TEST"];
  if (given !== undefined) {
    log("as TEMPORAL_ADDRESS_TEST says");
    return { provided: { temporalAddress: given } };
  }
  const server = await startTemporal({
    headless: true,
    port: 0,
    pidFile: join(runFolder, "temporal.pid"),
    logFile: localPath("log", "test-temporal.log"),
    log,
  });
  return { provided: { temporalAddress: server.address }, stop: server.stop };
}

async function findTimeSkippingPart(): Promise<Part> {
  return {
    provided: { timeSkippingExecutable: await findTimeSkippingServer(partLog("skipping")) },
  };
}

async function findChromiumPart(): Promise<Part> {
  const log = partLog("chromium");
  const chromium = await findChromium(log);
  log(chromium.source);
  return { provided: { chromium } };
}

async function buildServerPart(): Promise<Part> {
  // Loads the bundlers, which most runs of a few files do without.
  const { ensureServer } = await import("../../dev/build/server-build.ts");
  await ensureServer(partLog("server"));
  return { provided: { serverBuild: repositoryRoot } };
}
