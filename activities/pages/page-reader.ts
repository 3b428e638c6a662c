import { DeepPageError, pairsOfHtml } from "../../core/agent/sources/html.ts";
import { pairsOfText } from "../../core/agent/sources/files.ts";
import type { SourceContent } from "../../core/agent/sources/pairs.ts";
import type { SourceFailure } from "../../core/model/workflow/knowledge-refresh.ts";
import { TargetError } from "../../core/target-guard.ts";
import {
  createGuardedSend,
  type GuardedAnswer,
  type GuardedOptions,
} from "../http/guarded-request.ts";
import { LargeAnswerError } from "../http/read-bounded.ts";
import { findRedirectTarget } from "../http/redirect-target.ts";

/** Reads the questions of a page. Never throws for what a page does. */
export type ReadPage = (url: string) => Promise<SourceContent>;

const maxRedirects = 5;
const headers = {
  accept: "text/html, application/xhtml+xml, text/plain;q=0.8",
  "user-agent": "Parley/1.0 (knowledge)",
};

/**
 * Creates the reader of pages. Each redirect passes the guard of targets as the page itself does.
 * @param timeoutMs for the page with its redirects
 */
export function createPageReader({
  timeoutMs = 15_000,
  ...options
}: GuardedOptions & { timeoutMs?: number }): ReadPage {
  const send = createGuardedSend(options);
  return async (url) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      let at = url;
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        const answer = await send(at, { method: "GET", headers }, signal);
        const next = findRedirectTarget(answer, at);
        if (next === null) return contentOf(answer, at);
        at = next;
      }
      return "too_many_redirects";
    } catch (error) {
      return signal.aborted ? "too_slow" : failureOf(error);
    }
  };
}

function failureOf(error: unknown): SourceFailure {
  if (error instanceof LargeAnswerError) return "too_big";
  if (error instanceof DeepPageError) return "not_a_page";
  // A name that leads to a private address reads like a name without an address.
  const isRefused = error instanceof TargetError && error.code !== "dns_error";
  return isRefused ? "refused_address" : "unreachable";
}

function contentOf({ status, headers: given, body }: GuardedAnswer, at: string): SourceContent {
  if (status === 404 || status === 410) return "not_found";
  if (status === 401 || status === 403 || status === 407) return "forbidden";
  if (status < 200 || status > 299) return "server_error";
  const type = given["content-type"] ?? "";
  const [kind = ""] = type.toLowerCase().split(";", 1);
  const encoding = given["content-encoding"] ?? "identity";
  if (encoding !== "identity") return "not_a_page";
  switch (kind.trim()) {
    case "text/html":
    case "application/xhtml+xml":
      return pairsOfHtml(decode(body, charsetOf(type) ?? charsetInHead(body)));
    case "text/plain":
      return pairsOfText(decode(body, charsetOf(type)), new URL(at).hostname);
    default:
      return "not_a_page";
  }
}

function charsetOf(text: string): string | null {
  return /charset\s*=\s*["']?([\w-]{1,40})/iu.exec(text)?.[1] ?? null;
}

/** The encoding that a page names in its first 1,024 bytes, where HTML asks for it. */
function charsetInHead(body: Buffer): string | null {
  const head = body.subarray(0, 1_024).toString("latin1");
  return charsetOf(/<meta[^>]{0,200}charset[^>]{0,50}>/iu.exec(head)?.[0] ?? "");
}

function decode(body: Buffer, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
