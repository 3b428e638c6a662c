import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { receive, type Incoming } from "../../support/conversations.ts";
import { startApiFixture } from "../api-fixture.ts";

/** An API, and short ways to write as a customer and to read the views of an inbox. */
export async function startInboxFixture() {
  const fixture = await startApiFixture();
  const { dataSource } = fixture.database;
  let nextPhone = 5_215_500_000_000;

  const call = async (account: TestAccount, method: string, path: string, body?: unknown) => {
    const { cookie } = account;
    return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  };
  const idsOf = async (account: TestAccount, query: string): Promise<number[]> => {
    const { json } = await call(account, "GET", `/conversations?${query}`);
    return json.data.map(({ id }: { id: number }) => id);
  };

  return {
    ...fixture,
    call,
    idsOf,
    createAccount: async (options = {}) => await createTestAccount(dataSource, options),
    /** A new customer writes, or a known one again. @returns ids of the conversation and message. */
    write: async ({ accountId }: TestAccount, message: Partial<Incoming> = {}) => {
      const from = String((nextPhone += 1));
      const { row } = await receive(dataSource, accountId, { from, ...message });
      return { id: row.conversationId, messageId: row.id, from: message.from ?? from };
    },
    rowOf: async (account: TestAccount, id: number) => {
      const { json } = await call(account, "GET", "/conversations?limit=100");
      return json.data.find((row: { id: number }) => row.id === id);
    },
    set: async (id: number, columns: Record<string, unknown>) => {
      const names = Object.keys(columns).map((name) => `${name} = ?`);
      await dataSource.query(`UPDATE conversations SET ${names.join(", ")} WHERE id = ?`, [
        ...Object.values(columns),
        id,
      ]);
    },
  };
}
