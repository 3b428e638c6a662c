import { Pool } from "undici";
import type { BenchStack } from "./stack.ts";

/** A client that creates contacts through the API. */
export interface Caller {
  /** Creates the contact of that number. @throws Error when the API answers anything but 201 */
  upsert(index: number): Promise<void>;
  close(): Promise<void>;
}

/** The phone of a contact that the load creates. */
export function phoneOf(index: number): string {
  return String(52_000_000_000 + index);
}

/** Creates a caller with a number of connections. */
export function createCaller({ apiUrl, apiKey }: BenchStack, connections: number): Caller {
  const pool = new Pool(apiUrl, { connections, pipelining: 1 });
  return {
    async upsert(index) {
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: "/api/v1/contacts",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ phone: phoneOf(index), name: `Bench ${index}` }),
      });
      await body.dump();
      if (statusCode !== 201) throw new Error(`The API answered ${statusCode}.`);
    },
    close: () => pool.close(),
  };
}
