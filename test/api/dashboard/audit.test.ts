import { expect, test } from "vitest";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

test("every admin action leaves who, what, which row, from where and in which request, and no secret", async () => {
  const secrets: string[] = [];
  let count = 0;
  const act = async (method: string, path: string, body?: unknown) => {
    count += 1;
    const answer = await fixture.api.call(method, `/dashboard/api${path}`, {
      cookie: fixture.account.cookie,
      headers: { "x-request-id": `audit-${count}` },
      body,
    });
    expect(answer.status).toBeLessThan(300);
    for (const name of ["secret", "key"]) {
      if (typeof answer.json.data[name] === "string") secrets.push(answer.json.data[name]);
    }
    return answer.json.data;
  };
  await fixture.query("DELETE FROM audit_log");
  const url = "http://127.0.0.1:9/path?token=url-canary";
  const hook = await act("POST", "/subscriptions", { name: "Hook", url, events: ["contact.*"] });
  await act("PATCH", `/subscriptions/${hook.id}`, { url: `${url}2`, name: "Hook 2" });
  const ping = await act("POST", `/subscriptions/${hook.id}/test`);
  await act("POST", `/subscriptions/${hook.id}/rotate-secret`);
  await act("DELETE", `/subscriptions/${hook.id}`);
  const key = await act("POST", "/api-keys", { name: "Key", scopes: ["contacts:read"] });
  const next = await act("POST", `/api-keys/${key.id}/rotate`, { overlap_hours: 1 });
  await act("POST", `/api-keys/${key.id}/revoke`);
  const rows = await fixture.query<Record<string, unknown>>("SELECT * FROM audit_log ORDER BY id");
  const { accountId, userId } = fixture.account;
  const expected: [string, number, unknown][] = [
    ["subscription.created", hook.id, { name: "Hook", events: ["contact.*"] }],
    ["subscription.updated", hook.id, { fields: ["name", "url"] }],
    ["subscription.tested", hook.id, { event_id: ping.event_id }],
    ["subscription.secret_rotated", hook.id, {}],
    ["subscription.deleted", hook.id, { name: "Hook 2" }],
    ["api_key.created", key.id, { name: "Key", scopes: ["contacts:read"] }],
    ["api_key.rotated", key.id, { new_id: next.id, overlap_ms: 3_600_000 }],
    ["api_key.revoked", key.id, null],
  ];
  expect(rows).toEqual(
    expected.map(([action, target_id, details], index) => ({
      id: expect.any(Number),
      account_id: accountId,
      actor_type: "user",
      actor_id: userId,
      action,
      target_type: action.split(".")[0],
      target_id,
      details,
      ip: expect.stringContaining("127.0.0.1"),
      request_id: `audit-${index + 1}`,
      created_at: expect.any(Date),
    })),
  );
  expect(secrets).toHaveLength(4);
  const stored = JSON.stringify(rows);
  for (const secret of [...secrets, "url-canary", "whsec_", "parley_"])
    expect(stored).not.toContain(secret);
});

test("what is refused leaves no trace in the audit log", async () => {
  const before = await fixture.count("audit_log");
  const { cookie } = fixture.account;
  const calls = [
    ["POST", "/subscriptions", { url: "x", events: [] }],
    ["DELETE", "/subscriptions/999999", undefined],
    ["POST", "/api-keys", { name: "", scopes: [] }],
    ["POST", "/api-keys/999999/revoke", undefined],
  ] as const;
  for (const [method, path, body] of calls) {
    const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(await fixture.count("audit_log")).toEqual(before);
});
