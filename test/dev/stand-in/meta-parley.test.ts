import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { metaAccounts, metaNetworks } from "../../../dev/stand-in/meta-accounts.ts";
import { connectToParley } from "../../../dev/stand-in/meta-connect.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { startChannelFixture } from "../../api/channels/channel-fixture.ts";
import { testPassword } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startChannelFixture);
const app = { id: "1234567890", secret: "stand-in-app-secret", instagramSecret: "ig-secret-1" };

async function connect(): Promise<MetaStandIn> {
  const { account, api } = fixture;
  const login = { parleyUrl: api.url, email: account.email, password: testPassword };
  const callback = await connectToParley(login, app, metaAccounts);
  const standIn = await startMetaStandIn({ app, callback, statusMs: 1, retryMs: 20 });
  onTestFinished(async () => await standIn.close());
  return standIn;
}

test("it connects itself to Parley twice, and customers of each network arrive", async () => {
  await connect();
  const standIn = await connect();
  expect(await standIn.verify()).toBe(null);
  for (const network of metaNetworks)
    await standIn.receive(network, { kind: "text", text: `¡Hola por ${network}! 👋` });
  expect(standIn.deliveries().map(({ answers }) => answers)).toEqual([[200], [200], [200]]);
  await fixture.drain();
  const sql = "SELECT content FROM messages WHERE account_id = ? ORDER BY content";
  const rows = await fixture.query<{ content: string }>(sql, [fixture.account.accountId]);
  expect(rows.map(({ content }) => content)).toEqual(
    [...metaNetworks].toSorted().map((network) => `¡Hola por ${network}! 👋`),
  );
});

test("a wrong password is said in Parley's words", async () => {
  const { account, api } = fixture;
  const login = { parleyUrl: api.url, email: account.email, password: "wrong password" };
  await expect(connectToParley(login, app, metaAccounts)).rejects.toThrow(/answered 401/);
});

test("a reversed batch that comes twice is stored once", async () => {
  const standIn = await connect();
  standIn.hold();
  for (const text of ["uno", "dos", "tres"])
    await standIn.receive("whatsapp", { kind: "text", text, id: `wamid.${text}` });
  await standIn.release({ perWebhook: 2, copies: 2, reversed: true });
  await fixture.drain();
  const rows = await fixture.query(
    "SELECT id FROM messages WHERE content IN ('uno', 'dos', 'tres')",
  );
  expect(rows).toHaveLength(3);
});

test("npm run stand-in:meta prints its options", async () => {
  const args = ["--import", "tsx/esm", "dev/stand-in/meta.ts", "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  for (const word of ["--slug", "pair_limit", "106540352242922"]) expect(stdout).toContain(word);
});

test("controls take JSON from this machine alone", async () => {
  const standIn = await startMetaStandIn({ app });
  onTestFinished(async () => await standIn.close());
  const call = async (path: string, body: unknown, type = "application/json") =>
    await fetch(`${standIn.url}/control${path}`, {
      method: "POST",
      headers: { "content-type": type },
      body: JSON.stringify(body),
    });
  expect((await call("/script", { name: "hang" }, "text/plain")).status).toBe(415);
  expect((await call("/script", { name: "nothing" })).status).toBe(400);
  expect((await call("/script", { name: "hang", times: 2 })).status).toBe(200);
  const state = await (await fetch(`${standIn.url}/control/state`)).json();
  expect(state).toMatchObject({ script: "hang", callback: null });
  expect(JSON.stringify(state)).not.toContain(app.secret);
  const sent = await call("/messages", { network: "messenger", kind: "location" });
  expect(sent.status).toBe(400);
  expect(await sent.json()).toEqual({ error: "Error: messenger has no location of a customer." });
});
