import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import mysql from "mysql2/promise";
import { z } from "zod";
import type { Child } from "../child.ts";
import { lastLines } from "../run-command.ts";

/** Long, because recovery after a hard end first reads the whole redo log. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 100;

/**
 * Waits until the server answers a query of our user.
 * @returns its version
 * @throws Error with the last lines of its log, when it ends or does not answer within two minutes
 */
export async function waitForMysql(url: string, child: Child, logFile: string): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (Date.now() < deadline && !ended) {
    const version = await readVersion(url);
    if (version !== null) return version;
    await sleep(POLL_MS);
  }
  const log = readFileSync(logFile, "utf8");
  const said = lastLines(log.replace(/^.*\[(?:System|Note|Warning)\].*$/gm, ""), 2);
  throw new Error(`${child.name} ${ended ? "ended at once" : "does not answer"}: ${said}`);
}

const Rows = z.array(z.object({ version: z.string() })).length(1);

async function readVersion(url: string): Promise<string | null> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 2_000 });
    try {
      const [rows] = await connection.query("SELECT SUBSTRING_INDEX(VERSION(), '-', 1) AS version");
      return Rows.parse(rows)[0]?.version ?? null;
    } finally {
      connection.destroy();
    }
  } catch {
    return null;
  }
}
