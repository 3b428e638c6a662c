import { setTimeout as sleep } from "node:timers/promises";
import { isGrpcServiceError } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time.js";
import type { NativeConnection } from "@temporalio/worker";
import { searchAttributes } from "../core/model/workflow/search-attributes.ts";
import { prepare, type Preparing } from "./prepare.ts";
import type { TemporalLink } from "./temporal.ts";
import { withLimit } from "./time-limit.ts";

/** Temporal's numbers for the types of search attributes. */
const indexedValueType = { KEYWORD: 2, INT: 3, DATETIME: 6 } as const;
const invalidArgument = 3;
const limitMs = 15_000;
const retentionSeconds = 30 * 86_400;

/**
 * Prepares a namespace: registers our search attributes and raises the retention to 30 days. A
 * server that refuses either still works, and is asked again.
 * @returns a function that returns true once runs may carry the search attributes.
 */
export async function prepareNamespace(
  { connection, namespace }: TemporalLink,
  preparing: Preparing,
): Promise<() => boolean> {
  let searchable = false;
  await prepare(preparing, "temporal.retention_refused", async () => {
    await withLimit(limitMs, raiseRetention(connection, namespace));
  });
  await prepare(preparing, "temporal.search_attributes_refused", async () => {
    await withLimit(limitMs, registerSearchAttributes(connection, namespace));
    searchable = true;
  });
  return () => searchable;
}

async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const wanted = Object.entries(searchAttributes).map(
    ([name, type]) => [name, indexedValueType[type]] as const,
  );
  const listed = async () =>
    (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  const before = await listed();
  const missing = wanted.filter(([name]) => before[name] === undefined);
  if (missing.length > 0) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing),
    });
  }
  const after = await listed();
  const wrong = wanted.filter(([name, type]) => after[name] !== type).map(([name]) => name);
  if (wrong.length > 0) throw new Error(`Missing or of another type: ${wrong.join(", ")}`);
  await untilSearchable(connection, namespace);
}

/**
 * Waits until all parts of the server know the new attributes. The server lists them before the
 * part that takes starts and queries knows them. A run started in between would be refused with
 * them, and would be started without them forever.
 */
async function untilSearchable(connection: NativeConnection, namespace: string): Promise<void> {
  const query = Object.keys(searchAttributes)
    .map((name) => `${name} IS NULL`)
    .join(" AND ");
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      const unknown = isGrpcServiceError(error) && error.code === invalidArgument;
      if (!unknown || performance.now() > end) throw error;
      await sleep(100);
    }
  }
}

async function raiseRetention(connection: NativeConnection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const current = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  if (current >= retentionSeconds) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retentionSeconds * 1000) },
  });
}
