import { signCall, type CallToSign } from "./signing.ts";
import { shellQuote } from "./snippets.ts";

/** A call to sign and send. */
export type CallToSend = Omit<CallToSign, "nowSeconds"> & { url: string };

/** A call that was sent, and what came back. */
export interface SentCall {
  /** The same call for a terminal. */
  curl: string;
  /** Null where no answer came. */
  answer: { status: number; ms: number; body: string } | null;
}

/** Signs a call and sends it as any other system would, without the cookie of this login. */
export async function sendCall({ url, body, ...call }: CallToSend): Promise<SentCall> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const signature = await signCall({ ...call, body, nowSeconds });
  const headers = { "Content-Type": "application/json", ...signature };
  const startedMs = performance.now();
  // The page may be open under another name of the same host, which is all that it may call.
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
