import { readFileSync } from "node:fs";
import mysql from "mysql2/promise";
import type { BenchStack } from "./stack.ts";

/** Costs since the start of the stack. */
export interface Costs {
  /** CPU time in ms by name of the process, added up for equal names; 0 without /proc. */
  cpuMs: Map<string, number>;
  /** Number of statements for MySQL, one round trip each. */
  statements: number;
  /** Number of flushes of MySQL's log to disk. */
  flushes: number;
}

/** Reads the costs. The difference of two readings is the cost of the time between them. */
export async function readCosts(stack: BenchStack): Promise<Costs> {
  const cpuMs = new Map<string, number>();
  for (const { name, pid } of stack.processes()) {
    cpuMs.set(name, (cpuMs.get(name) ?? 0) + cpuMsOf(pid));
  }
  const connection = await mysql.createConnection(stack.databaseUrl);
  const [rows] = await connection.query<mysql.RowDataPacket[]>(
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_os_log_fsyncs')",
  );
  await connection.end();
  const figures = new Map(rows.map((row) => [row["Variable_name"], Number(row["Value"])]));
  return {
    cpuMs,
    statements: figures.get("Questions") ?? 0,
    flushes: figures.get("Innodb_os_log_fsyncs") ?? 0,
  };
}

/** Clock ticks are 10 ms on every Linux that Node runs on. */
const tickMs = 10;

/** CPU time that a process has used; 0 without /proc. */
export function cpuMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return 0;
  }
}

/** Costs per delivery between two readings, as text for people. */
export function describeCosts(before: Costs, after: Costs, deliveries: number): string {
  const each = (from: number, to: number, digits: number) =>
    ((to - from) / deliveries).toFixed(digits);
  const cpu = [...after.cpuMs].map(
    ([name, ms]) => `${name} ${each(before.cpuMs.get(name) ?? 0, ms, 1)}`,
  );
  const statements = each(before.statements, after.statements, 1);
  const flushes = each(before.flushes, after.flushes, 2);
  return `CPU ms: ${cpu.join(", ")}; ${statements} statements, ${flushes} flushes`;
}
