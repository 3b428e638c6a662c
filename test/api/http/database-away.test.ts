import { expect, test } from "vitest";
import type { TestAnswer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { useGatedApi } from "./gated-api.ts";

const { fixture, gate, gated, api, create, list } = useGatedApi();

/** Calls at once, of every kind, and how long the slowest took. */
async function callAtOnce(
  prefix: string,
  count = 100,
): Promise<{ answers: TestAnswer[]; slowestMs: number }> {
  const { cookie } = fixture.account;
  const times: number[] = [];
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const email = `${prefix}-${index}@x.co`;
      const calls = [
        list,
        async () => await create({ email }),
        async () => await create({ email }, { "idempotency-key": email }),
        async () => await api.call("GET", "/dashboard/api/session", { cookie }),
      ];
      const begun = performance.now();
      const answer = await (calls[index % calls.length] ?? list)();
      times.push(performance.now() - begun);
      return answer;
    }),
  );
  return { answers, slowestMs: Math.max(...times) };
}

const statusesOf = (answers: TestAnswer[]) => new Set(answers.map(({ status }) => status));

test.each(["shut", "silence"] as const)(
  "of a hundred calls at once while MySQL is away (%s) each is 503 within 2 s; when it is back all are served",
  async (fault) => {
    const before = await callAtOnce(`${fault}-before`);
    expect(statusesOf(before.answers)).toEqual(new Set([200, 201]));
    gate[fault]();
    for (const wave of ["first", "second"]) {
      const { answers, slowestMs } = await callAtOnce(`${fault}-${wave}`);
      expect(statusesOf(answers)).toEqual(new Set([503]));
      expect(slowestMs).toBeLessThan(2_000);
    }
    gate.open();
    const openedAt = performance.now();
    await eventually(async () => expect((await list()).status).toBe(200));
    expect(performance.now() - openedAt).toBeLessThan(1_000);
    const { answers } = await callAtOnce(`${fault}-back`);
    expect(statusesOf(answers)).toEqual(new Set([200, 201]));
  },
);

test("a MySQL that is slow to answer, or slow to be reached, is waited for", async () => {
  const held = Promise.all(
    Array.from({ length: 10 }, async () => await gated.dataSource.query("SELECT SLEEP(2)")),
  );
  const [{ answers }] = await Promise.all([callAtOnce("busy", 20), held]);
  expect(statusesOf(answers)).toEqual(new Set([200, 201]));
  gate.shut();
  gate.open(500);
  const far = await callAtOnce("far", 20);
  gate.open();
  expect(statusesOf(far.answers)).toEqual(new Set([200, 201]));
});
