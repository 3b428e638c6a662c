import { FileTooLargeError, type SpooledFile, type Spool } from "../../core/media/spool.ts";
import type { DownloadFault } from "../../core/model/media.ts";
import { TargetError } from "../../core/target-guard.ts";
import {
  createGuardedOpen,
  type GuardedOptions,
  type GuardedStream,
} from "../http/guarded-request.ts";
import { findRedirectTarget } from "../http/redirect-target.ts";

/** A file to download. */
export interface DownloadRequest {
  url: string;
  /** Name in the spool. */
  name: string;
  /** Token for the hosts that ask for it; null where none does. */
  token: string | null;
  /** `network`: only the hosts of Meta. `any`: every public host. */
  from: "network" | "any";
  maxBytes: number;
}

/** Outcome of one download. A file belongs to the caller, who removes it. */
export type DownloadResult =
  | { file: SpooledFile; fault: null }
  | { file: null; fault: DownloadFault };

/** Downloads one file. Never throws for what a host does. */
export type Download = (request: DownloadRequest) => Promise<DownloadResult>;

/** Options of the downloader. */
export interface DownloadOptions extends GuardedOptions {
  /** Base URL of the Graph API. It is the operator's own choice, so it may be a private address. */
  graphUrl: string;
  spool: Spool;
  /** For the file with its redirects, in milliseconds (60 s). */
  timeoutMs?: number;
  /** Ends downloads once this process stops. */
  stopping?: AbortSignal;
}

const maxRedirects = 5;
const networkHosts = /(?:^|\.)(?:fbsbx\.com|fbcdn\.net|cdninstagram\.com)$/u;
/** Hosts that read the token besides the Graph API. */
const tokenHosts = new Set(["lookaside.fbsbx.com"]);
const userAgent = "Parley/1.0 (media)";

/** An address that no file of a network has. */
class ForeignHostError extends Error {
  override readonly name = "ForeignHostError";
}

/**
 * Creates the downloader of files. The address and each redirect pass the guard of targets, and
 * the token goes to Meta's hosts alone. The file is counted and hashed while it arrives.
 */
export function createDownload(options: DownloadOptions): Download {
  const { graphUrl, spool, timeoutMs = 60_000, stopping, ...guarded } = options;
  const graph = new URL(graphUrl).origin;
  const open = createGuardedOpen(guarded);
  const openGraph = createGuardedOpen({
    ...guarded,
    policy: { allowPrivate: true, ownHosts: [] },
  });

  function begin(url: URL, request: DownloadRequest, signal: AbortSignal): Promise<GuardedStream> {
    const isGraph = url.origin === graph;
    const isNetwork = isGraph || (url.protocol === "https:" && networkHosts.test(url.hostname));
    if (request.from === "network" && !isNetwork) throw new ForeignHostError("A foreign host.");
    const wantsToken = request.token !== null && (isGraph || tokenHosts.has(url.hostname));
    const headers = {
      "user-agent": userAgent,
      ...(wantsToken ? { authorization: `Bearer ${request.token}` } : {}),
    };
    const call = request.from === "network" && isGraph ? openGraph : open;
    return call(url.href, { method: "GET", headers }, signal);
  }

  async function follow(request: DownloadRequest, signal: AbortSignal): Promise<GuardedStream> {
    let at = request.url;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      if (!URL.canParse(at)) throw new TargetError("invalid_url");
      const answer = await begin(new URL(at), request, signal);
      const next = findRedirectTarget(answer, at);
      if (next === null) return answer;
      answer.close();
      at = next;
    }
    throw new ForeignHostError("Too many redirects.");
  }

  return async (request) => {
    const limit = new AbortController();
    const { signal } = limit;
    const stop = (): void => limit.abort(new Error("The download is over."));
    // Not AbortSignal.any, which can lose its sources in Node 20.
    const timer = setTimeout(stop, timeoutMs);
    stopping?.addEventListener("abort", stop, { once: true });
    if (stopping?.aborted) stop();
    try {
      const answer = await follow(request, signal);
      try {
        const fault = faultOf(answer, request.maxBytes);
        if (fault !== null) return { file: null, fault };
        const file = await spool.write(request.name, answer.body, request.maxBytes);
        return { file, fault: null };
      } finally {
        answer.close();
      }
    } catch (error) {
      return { file: null, fault: faultOfError(error) };
    } finally {
      clearTimeout(timer);
      stopping?.removeEventListener("abort", stop);
    }
  };
}

function faultOf({ status, headers }: GuardedStream, maxBytes: number): DownloadFault | null {
  if (status === 401 || status === 403 || status === 404 || status === 410) return "gone";
  if (status !== 200) return "unreachable";
  if (Number(headers["content-length"] ?? 0) > maxBytes) return "too_large";
  return null;
}

/** Files that cannot be written are our own fault, which the next try may not meet again. */
function faultOfError(error: unknown): DownloadFault {
  if (error instanceof FileTooLargeError) return "too_large";
  if (error instanceof ForeignHostError) return "foreign_host";
  const isRefused = error instanceof TargetError && error.code !== "dns_error";
  return isRefused ? "foreign_host" : "unreachable";
}
