import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { startContactLoad } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { settleLedger } from "../support/ledger.ts";

const answer204 = (_: unknown, response: ServerResponse) => void response.writeHead(204).end();
const adaptive = { FIRST_ATTEMPT: "adaptive" };

test("a worker killed among first attempts of its relay loses none, and repeats only those under way", async ({
  onTestFinished,
}) => {
  const fixture = await createProcessFixture();
  onTestFinished(fixture.stop);
  const { sink, account, database } = fixture;
  const api = await fixture.startApi();
  const calls = await startContactLoad(api.url, account.apiKey, { count: 200 }).done;
  expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 201));
  let underWay = 0;
  sink.answer = (posted, response) => {
    underWay += 1;
    // Slow enough to have some posts under way at the kill.
    setTimeout(() => ((underWay -= 1), answer204(posted, response)), 200);
  };
  const worker = await fixture.startWorker(adaptive);
  await eventually(() => {
    expect(sink.posts.length).toBeGreaterThan(40);
    expect(underWay).toBeGreaterThan(0);
  });
  // Before the kill: until it is over, some have their answers.
  const cut = underWay;
  await worker.kill("SIGKILL");
  sink.answer = answer204;
  await fixture.startWorker(adaptive);
  const repeats = await settleLedger(fixture, calls);

  // Those whose answer came, but whose outcome was not written down yet, are under way too: at most
  // as many as a host may have at once.
  expect(repeats).toBeLessThanOrEqual(cut + 50);
  const [counts] = await database.dataSource.query(
    `SELECT MAX(posts) AS most, SUM(posts) - COUNT(*) AS again FROM delivery_attempts`,
  );
  expect(Number(counts.most)).toBeLessThanOrEqual(2);
  expect(Number(counts.again)).toBeGreaterThanOrEqual(repeats);
  const ways = await database.dataSource.query(
    "SELECT via, COUNT(*) AS total FROM deliveries GROUP BY via",
  );
  expect(ways.map(({ via }: { via: string }) => via)).toContain("relay");
}, 240_000);
