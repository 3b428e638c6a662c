import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  startGoogleStandIn,
  type GoogleStandIn,
  type GoogleStandInOptions,
} from "../../../dev/stand-in/google-server.ts";
import { parleyScopes } from "../../../dev/stand-in/google-steering.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers by their documented shape
export type GoogleJson = any;

/** A stand-in whose pushes reach a server that keeps them. */
export interface GoogleFixture {
  standIn: GoogleStandIn;
  /** Headers of pushes in the order of arrival. */
  arrivals: Record<string, string>[];
  /** HTTP statuses of the next answers to pushes; then 204. */
  answers: number[];
  /** Address of that server. */
  address: string;
  /** Calls the API as Ada. */
  api(path: string, options?: GoogleApiOptions): Promise<{ status: number; json: GoogleJson }>;
  /** Calls the token endpoint with the client's secret. */
  token(form: Record<string, string>): Promise<{ status: number; json: GoogleJson }>;
  stop(): Promise<void>;
}

/** Parts of a call that a test chooses. */
export interface GoogleApiOptions {
  method?: string;
  body?: unknown;
  token?: string;
  ifMatch?: string;
}

/** Ada's primary calendar. */
export const adaCalendar = "ada@google.example";

/** Starts both servers. */
export async function startGoogleFixture(
  options: GoogleStandInOptions = {},
): Promise<GoogleFixture> {
  const arrivals: GoogleFixture["arrivals"] = [];
  const answers: number[] = [];
  const receiver = createServer((request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    request.resume().on("end", () => {
      arrivals.push(Object.fromEntries(headers) as Record<string, string>);
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const standIn = await startGoogleStandIn({ retryMs: 5, ...options });
  const refreshToken = standIn.grant(adaCalendar);
  const token: GoogleFixture["token"] = async (form) => {
    const client = {
      client_id: standIn.settings["GOOGLE_CLIENT_ID"] ?? "",
      client_secret: standIn.settings["GOOGLE_CLIENT_SECRET"] ?? "",
    };
    const body = new URLSearchParams({ ...client, ...form });
    const answer = await fetch(`${standIn.url}/token`, { method: "POST", body });
    return { status: answer.status, json: await answer.json() };
  };
  const first = await token({ grant_type: "refresh_token", refresh_token: refreshToken });
  const ownToken: string = first.json.access_token;
  return {
    standIn,
    arrivals,
    answers,
    address: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`,
    token,
    async api(path, { method = "GET", body, token: given = ownToken, ifMatch } = {}) {
      const answer = await fetch(`${standIn.url}/calendar/v3${path}`, {
        method,
        headers: {
          authorization: `Bearer ${given}`,
          "content-type": "application/json",
          ...(ifMatch !== undefined && { "if-match": ifMatch }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, json: text === "" ? null : JSON.parse(text) };
    },
    async stop() {
      await standIn.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
    },
  };
}

/** Path of a calendar's events. */
export function eventsOf(calendarId = adaCalendar): string {
  return `/calendars/${encodeURIComponent(calendarId)}/events`;
}

/** An event of half an hour. */
export function halfHour(start: string) {
  const end = new Date(Date.parse(start) + 30 * 60_000).toISOString();
  return { start: { dateTime: start }, end: { dateTime: end } };
}

const callback = "http://127.0.0.1:3000/integrations/google/callback";

/** A request for consent, with PKCE. */
export function askConsent(standIn: GoogleStandIn, change: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const url = new URL(standIn.settings["GOOGLE_AUTH_URL"] ?? "");
  const query = {
    client_id: standIn.settings["GOOGLE_CLIENT_ID"] ?? "",
    redirect_uri: callback,
    response_type: "code",
    scope: ["openid", "email", ...parleyScopes.slice(2)].join(" "),
    state: "state-1",
    nonce: "nonce-1",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    access_type: "offline",
    prompt: "consent",
    ...change,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url, verifier, callback };
}

/** The person's choice on the consent screen. @returns the address that the browser goes to */
export async function decide(url: URL, form: Record<string, string>): Promise<URL> {
  const body = new URLSearchParams(form);
  const answer = await fetch(url, { method: "POST", body, redirect: "manual" });
  return new URL(answer.headers.get("location") ?? "");
}
