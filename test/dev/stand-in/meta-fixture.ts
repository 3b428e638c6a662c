import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hmacHex, metaAccounts, type MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";

/** A webhook as it arrived. */
export interface Arrival {
  text: string;
  signature: string;
  body: Record<string, unknown>;
}

/** A stand-in whose webhooks reach a server that keeps them. */
export interface MetaFixture {
  standIn: MetaStandIn;
  arrivals: Arrival[];
  /** Queries of handshakes. */
  handshakes: URLSearchParams[];
  /** HTTP statuses of the next answers; then 200. */
  answers: number[];
  callbackUrl: string;
  /** Calls the Graph API with the account's token and a proof. */
  graph(path: string, options?: GraphOptions): Promise<{ status: number; json: GraphJson }>;
  stop(): Promise<void>;
}

/** Parts of a call of the Graph API that a test chooses. Without them the call is correct. */
export interface GraphOptions {
  network?: MetaNetwork;
  method?: string;
  body?: unknown;
  token?: string;
  /** Null: none. */
  proof?: string | null;
  signal?: AbortSignal;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers by their documented shape
export type GraphJson = any;

/** The app of the fixture. */
export const app = {
  id: "1234567890",
  secret: "app-secret-1",
  instagramSecret: "instagram-secret",
};
export const verifyToken = "verify-token-1";

/** The account of a network. */
export function accountOf(network: MetaNetwork) {
  const account = metaAccounts.find((one) => one.network === network);
  if (account === undefined) throw new Error(network);
  return account;
}

/** Starts both servers. */
export async function startMetaFixture(): Promise<MetaFixture> {
  const arrivals: Arrival[] = [];
  const handshakes: URLSearchParams[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://here");
    if (request.method === "GET") {
      handshakes.push(searchParams);
      const isKnown = searchParams.get("hub.verify_token") === verifyToken;
      response.writeHead(isKnown ? 200 : 403).end(searchParams.get("hub.challenge"));
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("latin1");
      const signature = String(request.headers["x-hub-signature-256"]);
      arrivals.push({ text, signature, body: JSON.parse(text) });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const callback = { url: callbackUrl, verifyToken };
  const standIn = await startMetaStandIn({ app, callback, statusMs: 1, retryMs: 20 });
  return {
    standIn,
    arrivals,
    handshakes,
    answers,
    callbackUrl,
    graph: async (path, options) => await callGraph(standIn.url, path, options),
    async stop() {
      await standIn.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function callGraph(
  url: string,
  path: string,
  { network = "whatsapp", method = "GET", ...options }: GraphOptions = {},
): Promise<{ status: number; json: GraphJson }> {
  const account = accountOf(network);
  const { token = account.token, body, signal } = options;
  const secret = account.driver === "instagram_login" ? app.instagramSecret : app.secret;
  const { proof = hmacHex(secret, token) } = options;
  const target = new URL(`${url}/v26.0${path}`);
  if (proof !== null) target.searchParams.set("appsecret_proof", proof);
  const answer = await fetch(target, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === "" ? null : JSON.parse(text) };
}

/** A text to a customer of a network. */
export function textTo(network: MetaNetwork, to: string, text: string, more: object = {}): object {
  if (network === "whatsapp")
    return { messaging_product: "whatsapp", to, type: "text", text: { body: text }, ...more };
  return { recipient: { id: to }, messaging_type: "RESPONSE", message: { text }, ...more };
}
