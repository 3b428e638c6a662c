import { expect, test } from "vitest";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";
import { isOwnLoopMark, makeLoopMark } from "../../core/signature.ts";
import { createTestEndpoint } from "../api/inbound/inbound-fixture.ts";
import { startTestApi } from "../support/api.ts";
import {
  createAttemptFixture,
  queueDelivery,
  readAttempts,
  readDelivery,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
const api = useFixture(async () => await startTestApi(fixture.database));

test("a delivery that reaches our own inbound endpoint is refused, and is a failed attempt", async () => {
  const { database, account } = fixture;
  const endpoint = await createTestEndpoint({ database, api }, { account });
  const queued = await queueDelivery(fixture, { url: `${api.url}${endpoint.path}` });
  expect(await queued.attempt({ seq: 1 })).toMatchObject({ state: "waiting", statusCode: 403 });
  const [attempt] = await readAttempts(fixture, queued);
  expect(attempt).toMatchObject({ status_code: 403, error_class: "http_status" });
  expect(attempt?.response_excerpt).toContain('"loop_detected"');
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "waiting", attempts_made: 1 });
});

test("API v1 refuses a call with our own mark, and takes one with another installation's", async () => {
  const call = async (mark: string) =>
    await api.call("GET", "/api/v1/contacts", {
      apiKey: fixture.account.apiKey,
      headers: { "x-service-loop-guard": mark },
    });
  const own = await call(makeLoopMark(fixture.deps.secretBox));
  expect([own.status, own.json.error.code]).toEqual([403, "loop_detected"]);
  const other = createSecretBox(generateSecretKey("k1"));
  expect((await call(makeLoopMark(other))).status).toBe(200);
  expect((await call("nonsense")).status).toBe(200);
});

test("a mark counts while its key is kept, also after a new key signs", () => {
  const [old, next] = [generateSecretKey("k1"), generateSecretKey("k2")];
  const mark = makeLoopMark(createSecretBox(old));
  expect(isOwnLoopMark(createSecretBox(`${next},${old}`), mark)).toBe(true);
  expect(isOwnLoopMark(createSecretBox(next), mark)).toBe(false);
});
