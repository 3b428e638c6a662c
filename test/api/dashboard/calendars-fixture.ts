import { startGoogleStandIn, type GoogleStandIn } from "../../../dev/stand-in/google-server.ts";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

/** An API with a Google that stands in, and an admin who is logged in. */
export interface CalendarsFixture {
  database: TestDatabase;
  api: TestApi;
  google: GoogleStandIn;
  account: TestAccount;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  /** The consent screen's address for a new consent. */
  begin(query?: string): Promise<URL>;
  /** The person's choice there. @returns path and query of the callback. */
  choose(screen: URL, choice?: ConsentChoice): Promise<string>;
  /** The browser comes back. @returns path and query of the page that it is led to */
  comeBack(callback: string, cookie?: string): Promise<string>;
  /** A whole consent that goes well. @returns the id of the connection */
  connect(email?: string): Promise<number>;
  stop(): Promise<void>;
}

/** A choice on the consent screen. */
export interface ConsentChoice {
  email?: string;
  decision?: "allow" | "deny";
  /** Scopes whose tick is taken away. */
  unticked?: string;
}

/** Starts the API with the settings of the stand-in. */
export async function createCalendarsFixture(): Promise<CalendarsFixture> {
  const [database, google] = await Promise.all([createTestDatabase(), startGoogleStandIn()]);
  const api = await startTestApi(database, google.settings);
  const account = await createTestAccount(database.dataSource);
  const call: CalendarsFixture["call"] = async (method, path, body) =>
    await api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
  const begin = async (query = "") => {
    const { json } = await call("GET", `/calendars/google/connect${query}`);
    return new URL(json.data.url);
  };
  const choose: CalendarsFixture["choose"] = async (screen, choice = {}) => {
    const { email = "ada@google.example", decision = "allow", unticked = "" } = choice;
    const answer = await fetch(screen, {
      method: "POST",
      body: new URLSearchParams({ account: email, decision, unticked }),
      redirect: "manual",
    });
    const callback = new URL(answer.headers.get("location") ?? "");
    return `${callback.pathname}${callback.search}`;
  };
  const comeBack = async (callback: string, cookie = account.cookie) => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", cookie };
    const answer = await fetch(`${api.url}${callback}`, { headers, redirect: "manual" });
    return `${answer.status} ${answer.headers.get("location")}`;
  };
  return {
    database,
    api,
    google,
    account,
    call,
    begin,
    choose,
    comeBack,
    async connect(email = "ada@google.example") {
      const callback = await choose(await begin(), { email });
      const led = await comeBack(callback);
      if (led !== "303 /settings/calendars?google=connected") throw new Error(led);
      const { json } = await call("GET", "/calendars");
      const rows: { id: number; email: string }[] = json.data.connections;
      return rows.find((row) => row.email === email)?.id ?? 0;
    },
    async stop() {
      await api.stop();
      await google.close();
    },
  };
}
