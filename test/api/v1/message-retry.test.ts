import { expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let visitor = 0;

const call = async (
  method: string,
  path: string,
  body?: unknown,
  cookie = fixture.account.cookie,
) => await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });

/** A message of ours in a conversation of its own. */
async function sent(body: object, status = "failed", code = "refused") {
  const from = `visitor-${(visitor += 1)}`;
  const written = await call("POST", "/sandbox/messages", { channel: "web", from, text: "Hi" });
  const conversation = Number(written.json.data.conversation_id);
  const { id } = (await call("POST", `/conversations/${conversation}/messages`, body)).json.data;
  await fixture.query("UPDATE messages SET status = ?, error = ? WHERE id = ?", [
    status,
    status === "failed" ? JSON.stringify({ code, message: "No.", provider_code: null }) : null,
    id,
  ]);
  const messages = async () =>
    (await call("GET", `/conversations/${conversation}/messages`)).json.data;
  return { id: Number(id), messages };
}

test("a failed message is sent again as a new one, once", async () => {
  const image = { type: "image", media_url: "https://example.com/a.png", content: "The menu" };
  const { id, messages } = await sent(image);
  const first = await call("POST", `/messages/${id}/retry`, {});
  expect([first.status, first.json.data]).toMatchObject([
    201,
    { type: "image", content: "The menu", media: { url: image.media_url }, status: "queued" },
  ]);
  expect(first.json.data).toMatchObject({ sender_type: "user", external_id: `retry-of-${id}` });
  const again = await Promise.all(
    [1, 2, 3].map(async () => call("POST", `/messages/${id}/retry`, {})),
  );
  expect(again.map(({ status, json }) => [status, json.data.id])).toEqual(
    Array(3).fill([200, first.json.data.id]),
  );
  expect(await messages()).toHaveLength(3);
});

test("a message that may have arrived is sent again only where the person confirms", async () => {
  const { id, messages } = await sent({ content: "Twice?" }, "failed", "outcome_unknown");
  const refused = await call("POST", `/messages/${id}/retry`, {});
  expect([refused.status, refused.json.error.code]).toEqual([409, "outcome_unknown"]);
  expect(await messages()).toHaveLength(2);
  expect((await call("POST", `/messages/${id}/retry`, { confirm: true })).status).toBe(201);
  expect(await messages()).toHaveLength(3);
});

test.each(["queued", "sending", "sent", "delivered", "read", "cancelled"])(
  "a message that is %s is not sent again",
  async (status) => {
    const { id, messages } = await sent({ content: "Hello" }, status);
    const refused = await call("POST", `/messages/${id}/retry`, { confirm: true });
    expect([refused.status, refused.json.error.code]).toEqual([409, "message_not_failed"]);
    expect(await messages()).toHaveLength(2);
  },
);

test("another account's message is unknown, as is one that is not there", async () => {
  const { id } = await sent({ content: "Hello" });
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  for (const [path, as] of [
    [`/messages/${id}/retry`, cookie],
    ["/messages/999999/retry", fixture.account.cookie],
  ] as const) {
    const answer = await call("POST", path, {}, as);
    expect([answer.status, answer.json.error.code]).toEqual([404, "message_not_found"]);
  }
});
