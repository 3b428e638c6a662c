import { setTimeout as sleep } from "node:timers/promises";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { transaction } from "../../db/transaction.ts";
import type { Child } from "../../dev/child.ts";
import type { BenchStack } from "./stack.ts";
import { rssMbOf } from "./start.ts";

const pollMs = 100;

/** A file, as a person uploads it. */
export interface ImportFile {
  kind: "contacts" | "chat";
  content: string | Buffer;
  /** Changes the proposed mapping. */
  map: (proposed: object) => object;
}

/** An import that has ended. Times are in seconds. */
export interface ImportTimes {
  id: number;
  rows: number;
  /** Rows that the commit created or updated. */
  changed: number;
  uploadS: number;
  planS: number;
  commitS: number;
}

/** An admin who imports files. */
export interface ImportPerson {
  /** Uploads a file. @returns its import and the seconds that it took */
  upload(file: ImportFile): Promise<{ id: number; uploadS: number }>;
  /** Plans an uploaded file and commits it. */
  run(uploaded: { id: number; uploadS: number }): Promise<ImportTimes>;
  /** Undoes an import. @returns rows that were taken back, and the seconds that it took */
  undo(id: number): Promise<{ undone: number; undoS: number }>;
  /** The most memory in MB that the worker had in `run` and `undo`. */
  peakMb(): number;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- the bench reads answers by their documented shape
) => Promise<any>;

/** Logs an admin in, whose imports `worker` runs. */
export async function createPerson(stack: BenchStack, worker: Child): Promise<ImportPerson> {
  const call = createCall(stack, await logIn(stack));
  let peakMb = 0;
  const until = async (id: number, state: string): Promise<number> => {
    const started = performance.now();
    for (;;) {
      const { state: now, error } = await call("GET", `/imports/${id}`);
      peakMb = Math.max(peakMb, rssMbOf(worker));
      if (now === state) return (performance.now() - started) / 1_000;
      if (now === "failed") throw new Error(`The import failed: ${JSON.stringify(error)}`);
      await sleep(pollMs);
    }
  };
  const begin = async (id: number, step: string, state: string): Promise<number> => {
    await call("POST", `/imports/${id}/${step}`, {});
    return await until(id, state);
  };
  return {
    async upload({ kind, content, map }) {
      const started = performance.now();
      const path = `/imports?kind=${kind}&name=bench`;
      const { id, mapping } = await call("POST", path, content, "application/octet-stream");
      const uploadS = (performance.now() - started) / 1_000;
      await call("PATCH", `/imports/${id}`, { mapping: map(mapping ?? {}) });
      return { id, uploadS };
    },
    async run({ id, uploadS }) {
      const planS = await begin(id, "plan", "planned");
      const commitS = await begin(id, "commit", "done");
      const { counts } = await call("GET", `/imports/${id}`);
      const { created, updated, unchanged } = counts.done;
      if (created + updated + unchanged !== counts.rows) {
        throw new Error(`Rows are missing: ${JSON.stringify(counts)}`);
      }
      return { id, rows: counts.rows, changed: created + updated, uploadS, planS, commitS };
    },
    async undo(id) {
      const undoS = await begin(id, "undo", "undone");
      const { counts } = await call("GET", `/imports/${id}`);
      return { undone: counts.done.undone, undoS };
    },
    peakMb: () => peakMb,
  };
}

async function logIn({ dataSource, accountId }: BenchStack): Promise<string> {
  const options = { actor: { type: "system", accountId } } as const;
  return await transaction(dataSource, options, async (tx) => {
    const passwordHash = "-";
    const person = { email: "bench-imports@example.com", name: "Bench", passwordHash };
    const { userId } = await createMember(tx, { ...person, role: "admin" });
    const input = { accountId, userAgent: null };
    return (await createSession(tx, { userId, passwordHash }, input)).token;
  });
}

function createCall({ apiUrl }: BenchStack, token: string): Call {
  return async (method, path, body, type = "application/json") => {
    const isFile = typeof body === "string" || Buffer.isBuffer(body);
    const answer = await fetch(`${apiUrl}/dashboard/api${path}`, {
      method,
      headers: {
        cookie: `parley_session=${token}`,
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return Reflect.get(json as object, "data") as unknown;
  };
}
