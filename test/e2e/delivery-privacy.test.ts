import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  deliveriesOf,
  keptOf,
  keptOfAll,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

async function sql(statement: string): Promise<void> {
  await fixture.database.dataSource.query(statement);
}

test("Temporal is told nothing personal and no secret, not even by our own faults", async () => {
  const canaries = {
    name: "Canary-Name-7731",
    phone: "5215577317731",
    email: "canary7731@example.com",
    pathToken: "canary-path-token-7731",
    answer: "canary-answer-7731",
    header: "canary-header-7731",
  };
  const path = `/hooks/${canaries.pathToken}`;
  const { id, secret } = await subscribe(fixture, path, { events: ["*"] });
  fixture.sink.answer = (_, response) => {
    response.writeHead(500, { "X-Canary": canaries.header }).end(canaries.answer);
  };
  const { name, phone, email } = canaries;

  // A fault of ours in the middle of a first attempt, for longer than the task tries by itself.
  await sql("ALTER TABLE delivery_attempts RENAME COLUMN request_url TO gone");
  await createContact(fixture, { name, phone, email });
  const [queued] = await deliveriesOf(fixture, id);
  const handle = fixture.temporal.workflow.getHandle(queued.workflow_id);
  const failing = await eventually(async () => {
    const { raw } = await handle.describe();
    const failure = raw.pendingActivities?.[0]?.lastFailure;
    expect(failure).toMatchObject({ message: "MySQL 1054" });
    return raw;
  });
  expect(failing.pendingActivities?.[0]?.lastFailure).toMatchObject({
    stackTrace: "",
    applicationFailureInfo: { type: "QueryFailedError" },
  });
  const whileFailing = await keptOf(fixture, queued.workflow_id);
  await sql("ALTER TABLE delivery_attempts RENAME COLUMN gone TO request_url");

  await eventually(async () => {
    expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "discarded" }]);
  });
  expect(postsTo(fixture, path).map(({ headers }) => headers["x-service-attempt"])).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  expect(await handle.result()).toEqual({ state: "discarded" });

  const everything = [...whileFailing, ...(await keptOfAll(fixture))].join("\n");
  // What is not secret is found, so the search itself works.
  expect(everything).toContain(`contact.created to subscription ${id}`);
  expect(everything).toContain(`"deliveryId":${queued.id}`);
  expect(everything).toContain("MySQL 1054");
  const hidden = { ...canaries, secret, apiKey: fixture.account.apiKey, key: secret.slice(6) };
  const told = Object.entries(hidden).filter(([, text]) => everything.includes(text));
  expect(told.map(([what]) => what)).toEqual([]);
});
