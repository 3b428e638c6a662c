import { signCall, type CallToSign } from "./signing.ts";
import { shellQuote } from "./snippets.ts";

/** A call before it is signed and sent. */
export type CallToSend = Omit<CallToSign, "nowSeconds"> & { url: string };

/** A call that was sent, with its answer. */
export interface SentCall {
  /** The same call as a curl command. */
  curl: string;
  /** Null where no answer arrived. */
  answer: { status: number; ms: number; body: string } | null;
}

/** Signs a call and sends it like any other system, without the session cookie. */
export async function sendCall({ url, body, ...call }: CallToSend): Promise<SentCall> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const signature = await signCall({ ...call, body, nowSeconds });
  const headers = { "Content-Type": "application/json", ...signature };
  const startedMs = performance.now();
  // The page may be open under another name of the same host. It may call only its own origin, so
  // the host of the URL is dropped.
  const { pathname } = new URL(url);
  const response = await fetch(pathname, {
    method: "POST",
    headers,
    body,
    credentials: "omit",
  }).catch(() => null);
  const text = await response?.text().catch(() => null);
  const ms = Math.round(performance.now() - startedMs);
  const came = response !== null && text !== undefined && text !== null;
  return {
    curl: curlOf(url, headers, body),
    answer: came ? { status: response.status, ms, body: pretty(text) } : null,
  };
}

function curlOf(url: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => shellQuote(`${name}: ${value}`));
  return [
    `curl -sS ${shellQuote(url)}`,
    ...lines.map((line) => `-H ${line}`),
    `--data-binary ${shellQuote(body)}`,
  ].join(" \\\n  ");
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
