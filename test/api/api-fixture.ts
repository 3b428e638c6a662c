import { request } from "node:http";
import { generateApiKey, hashToken } from "../../core/secrets.ts";
import type { Scope } from "../../core/model/principal.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** A database of its own, an API on it, and an account with an admin and a key of all scopes. */
export interface ApiFixture {
  database: TestDatabase;
  api: TestApi;
  account: TestAccount;
  /** Rows of each table. */
  count: (...tables: string[]) => Promise<Record<string, number>>;
  query: <Row = Record<string, unknown>>(sql: string, values?: unknown[]) => Promise<Row[]>;
  stop: () => Promise<void>;
}

/** Starts a fixture; `settings` are environment variables of the API. */
export async function startApiFixture(settings: Record<string, string> = {}): Promise<ApiFixture> {
  const database = await createTestDatabase();
  const api = await startTestApi(database, settings);
  const account = await createTestAccount(database.dataSource);
  const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    await database.dataSource.query<Row[]>(sql, values);
  return {
    database,
    api,
    account,
    query,
    async count(...tables) {
      const rows = tables.map(async (table) => {
        const [row] = await query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
        return [table, Number(row?.n)] as const;
      });
      return Object.fromEntries(await Promise.all(rows));
    },
    async stop() {
      await api.stop();
      await database.stop();
    },
  };
}

/** One more key of an account, straight into the table. */
export async function insertApiKey(
  fixture: ApiFixture,
  { accountId, scopes, set = "" }: { accountId: number; scopes: readonly Scope[]; set?: string },
): Promise<string> {
  const key = generateApiKey();
  await fixture.query(
    `INSERT INTO api_keys SET account_id = ?, name = 'k', scopes = ?, key_hash = ?, prefix = 'parley_', last_four = '0000'${set}`,
    [accountId, JSON.stringify(scopes), hashToken(key)],
  );
  return key;
}

/** A row as given; the rest are defaults. @returns its id. */
export async function insertRow(
  fixture: Pick<ApiFixture, "database">,
  table: string,
  row: Record<string, unknown>,
): Promise<number> {
  const names = Object.keys(row);
  const result = await fixture.database.dataSource.query<{ insertId: number }>(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
  return result.insertId;
}

/** A request that `fetch` would refuse to send: any method, any header, chunks as given. */
export async function rawCall(
  url: string,
  method: string,
  path: string,
  {
    headers = {},
    chunks = [],
  }: { headers?: Record<string, string | string[]>; chunks?: (string | Buffer)[] } = {},
): Promise<TestAnswer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path, headers: { connection: "close", ...headers } },
      (response) => {
        const received: Buffer[] = [];
        response.on("data", (chunk: Buffer) => received.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(received).toString("utf8");
          const pairs = Object.entries(response.headers).flatMap(([name, value]) =>
            [value ?? []].flat().map((one): [string, string] => [name, one]),
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(pairs),
            text,
            json: text === "" ? undefined : JSON.parse(text),
          });
        });
      },
    );
    outgoing.on("error", reject);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

/** A checksum of every table: equal before and after means that nothing was written. */
export async function checksum(fixture: ApiFixture): Promise<string> {
  const tables = await fixture.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1",
  );
  const sums = await fixture.query(`CHECKSUM TABLE ${tables.map(({ name }) => name).join(", ")}`);
  return JSON.stringify(sums);
}
