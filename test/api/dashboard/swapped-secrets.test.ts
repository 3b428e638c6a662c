import { expect, test } from "vitest";
import { signBody } from "../../../core/signature.ts";
import { createTestEndpoint, type TestEndpoint } from "../inbound/inbound-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const call = async (method: string, path: string, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api${path}`, { cookie: fixture.account.cookie, body });

/** Swaps the sealed secrets of two rows, as whoever can write to MySQL does. */
async function swap(table: string, owner: string, ids: number[]): Promise<void> {
  const sealed = await Promise.all(
    ids.map(async (id) => {
      const select = `SELECT sealed FROM ${table} WHERE ${owner} = ?`;
      return (await fixture.query<{ sealed: string }>(select, [id]))[0]?.sealed;
    }),
  );
  for (const [index, id] of ids.entries()) {
    await fixture.query(`UPDATE ${table} SET sealed = ? WHERE ${owner} = ?`, [
      sealed[1 - index],
      id,
    ]);
  }
}

test("two swapped secrets of one account open neither subscription's samples", async () => {
  const create = async (): Promise<number> => {
    const body = { url: "https://example.com/hook", events: ["*"] };
    return (await call("POST", "/subscriptions", body)).json.data.id;
  };
  const ids = [await create(), await create()];
  const statuses = async () =>
    await Promise.all(
      ids.map(async (id) => (await call("GET", `/subscriptions/${id}/samples`)).status),
    );
  expect(await statuses()).toEqual([200, 200]);
  await swap("subscription_secrets", "subscription_id", ids);
  expect(await statuses()).toEqual([500, 500]);
});

test("two swapped secrets of one account open neither inbound endpoint", async () => {
  const { account } = fixture;
  const one = await createTestEndpoint(fixture, { account });
  const other = await createTestEndpoint(fixture, { account });
  const body = Buffer.from(
    JSON.stringify({ event: "contact.upsert", data: { phone: "34600111222" } }),
  );
  const status = async (endpoint: TestEndpoint, { secret }: TestEndpoint) =>
    (await endpoint.send(body, { "x-service-signature": signBody(secret, body) })).status;
  expect([await status(one, one), await status(one, other)]).toEqual([200, 401]);
  expect(await status(other, other)).toBe(200);
  await swap("inbound_endpoint_secrets", "endpoint_id", [one.id, other.id]);
  expect([await status(one, one), await status(one, other)]).toEqual([500, 500]);
  expect([await status(other, other), await status(other, one)]).toEqual([500, 500]);
});
