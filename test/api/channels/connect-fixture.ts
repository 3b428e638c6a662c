import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createGraph } from "../../../activities/channels/graph.ts";
import { createLog } from "../../../core/log.ts";
import { freePort, releasePort } from "../../../dev/child.ts";
import type { MetaAccount } from "../../../dev/stand-in/meta-accounts.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { createDrain } from "../../../worker/engine/channel-drain.ts";
import { checkDueChannels } from "../../../worker/engine/channel-checks.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import {
  plainInstallation,
  startTestApi,
  type TestAnswer,
  type TestApi,
} from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

/** The app of the fixture's stand-in. */
export const metaApp = { id: "7712345", secret: "app-secret-77", instagramSecret: "ig-secret-77" };

/** An API and checks of a worker that reach a stand-in of Meta through a line that may fail. */
export interface ConnectFixture {
  database: TestDatabase;
  api: TestApi;
  meta: MetaStandIn;
  /** Accounts that the stand-in knows. A test changes them. */
  accounts: Record<"number" | "sibling" | "page" | "ofPage" | "login", MetaAccount>;
  /** `away`: calls are cut off. `hang`: they are never answered. */
  line: { mode: "up" | "away" | "hang" };
  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  panel(account: TestAccount, method: string, path: string, body?: unknown): Promise<TestAnswer>;
  /** An account with the app. */
  addApp(): Promise<{ account: TestAccount; appId: number; webhookUrl: string }>;
  /** Makes the channels of an account due, and checks them as a worker does. */
  check(account: TestAccount): Promise<void>;
  /** Splits and applies webhooks until none is left. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

function makeAccounts(): ConnectFixture["accounts"] {
  const page = { id: "178229012934001", parentId: "178229012934001", token: "token-of-the-page" };
  const number = { driver: "whatsapp_cloud", network: "whatsapp", parentId: "10229" } as const;
  return {
    number: { ...number, id: "106540", token: "token-of-the-number", name: "+1 555 078 3881" },
    sibling: { ...number, id: "106541", token: "token-of-the-number", name: "+1 555 078 3882" },
    page: { ...page, driver: "messenger", network: "messenger", name: "Clínica" },
    ofPage: {
      driver: "instagram_page",
      network: "instagram",
      id: "17841400000001",
      parentId: page.id,
      token: page.token,
      name: "@clinica",
    },
    login: {
      driver: "instagram_login",
      network: "instagram",
      id: "17841405822304914",
      parentId: "",
      token: "token-of-the-login",
      name: "@otra.clinica",
    },
  };
}

/** Starts the fixture. */
export async function startConnectFixture(): Promise<ConnectFixture> {
  const database = await createTestDatabase();
  const accounts = makeAccounts();
  const all = Object.values(accounts);
  const meta = await startMetaStandIn({ app: metaApp, accounts: all, statusMs: 1, retryMs: 20 });
  const line: ConnectFixture["line"] = { mode: "up" };
  const proxy = await startLine(meta.url, line);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const urls = { META_GRAPH_URL: proxy.url, META_INSTAGRAM_URL: proxy.url, PUBLIC_URL: publicUrl };
  const api = await startTestApi(database, urls, plainInstallation, port);
  const { dataSource } = database;
  const log = createLog("worker", "silent");
  const graph = createGraph(api.deps.config.meta);
  const { drainOnce } = createDrain({ dataSource, log });
  const query: ConnectFixture["query"] = async (sql, values = []) =>
    await dataSource.query(sql, values);
  const panel: ConnectFixture["panel"] = async (account, method, path, body) =>
    await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
  return {
    database,
    api,
    meta,
    accounts,
    line,
    query,
    panel,
    async addApp() {
      const account = await createTestAccount(dataSource);
      const { id: app_id, secret: app_secret, instagramSecret: instagram_app_secret } = metaApp;
      const body = { app_id, app_secret, instagram_app_secret };
      const { id: appId, webhook_url: webhookUrl } = (
        await panel(account, "POST", "/channel-apps", body)
      ).json.data;
      return { account, appId, webhookUrl };
    },
    async check({ accountId }) {
      await query(
        `UPDATE channel_accounts SET check_at = created_at
          WHERE check_at IS NOT NULL AND account_id = ?`,
        [accountId],
      );
      const deps = { dataSource, secretBox: testSecretBox, graph, log, publicUrl };
      while ((await checkDueChannels(deps)) > 0);
    },
    async drain() {
      while ((await drainOnce()) > 0);
    },
    async stop() {
      await Promise.all([api.stop(), graph.close(), api.deps.graph.close()]);
      await meta.close();
      await proxy.close();
      releasePort(port);
      await database.stop();
    },
  };
}

/** A line to the stand-in. */
async function startLine(target: string, line: ConnectFixture["line"]) {
  const server: Server = createServer((incoming, outgoing) => {
    if (line.mode === "hang") return;
    if (line.mode === "away") return void incoming.socket.destroy();
    const { method, headers, url = "/" } = incoming;
    const onwards = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    onwards.on("error", () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
