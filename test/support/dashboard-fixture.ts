import { ensureDashboard } from "../../dev/build/dashboard-build.ts";
import { freePort, releasePort } from "../../dev/child.ts";
import { createTestAccount, type TestAccount } from "./accounts.ts";
import { plainInstallation, startTestApi, type TestAnswer, type TestApi } from "./api.ts";
import { startBrowser, type PageOptions, type TestPage } from "./browser.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** The Dashboard as people use it: its build, an API with a database, a browser, an account. */
export interface DashboardFixture {
  database: TestDatabase;
  api: TestApi;
  account: TestAccount;
  /** A page of the app, logged in as the account's admin unless `as` says otherwise. */
  open(path: string, options?: OpenOptions): Promise<TestPage>;
  /** A call of the JSON API as the account's admin. */
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** Who looks, and how. */
export interface OpenOptions extends Omit<PageOptions, "cookie"> {
  /** `Cookie` header of another login; null: nobody is logged in. */
  as?: string | null;
  /** For the whole file, not for one test. */
  kept?: boolean;
}

/** Files of a process use one port, so that the browser's cache serves all of them. */
const preferredPort = 20_000 + (process.pid % 10_000);

/** Environment variables of the API, or what they are once its URL is known. */
type DashboardSettings = Record<string, string> | ((url: string) => Record<string, string>);

/** Starts a fixture for one test file; `settings` are environment variables of the API. */
export async function startDashboard(settings: DashboardSettings = {}): Promise<DashboardFixture> {
  await ensureDashboard(() => undefined);
  const [database, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  const port = await freePort(preferredPort);
  const env = typeof settings === "function" ? settings(`http://127.0.0.1:${port}`) : settings;
  const api = await startTestApi(database, env, plainInstallation, port);
  const account = await createTestAccount(database.dataSource);
  return {
    database,
    api,
    account,
    async open(path, { as = account.cookie, kept = false, ...options } = {}) {
      const cookie = as === null ? {} : { cookie: { url: api.url, header: as } };
      const opened = await browser.openPage({ ...options, ...cookie }, kept);
      await opened.page.goto(api.url + path);
      return opened;
    },
    call: async (method, path, body) =>
      await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body }),
    async stop() {
      await browser.stop();
      await api.stop();
      releasePort(port);
      await database.stop();
    },
  };
}
