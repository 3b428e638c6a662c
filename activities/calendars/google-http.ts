import { request, type Dispatcher } from "undici";
import { z } from "zod";
import { parseJson } from "../../core/model/parse-json.ts";
import { readBounded } from "../http/read-bounded.ts";

/** One request to Google. */
export interface GoogleCall {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** Time limit of the call, its answer included. Default 5 s. */
  deadlineMs?: number;
  /** A longer answer counts as none. Default 256 KiB. */
  maxAnswerBytes?: number;
}

/** Google's answer with the fields that we use, or a code for a missing answer. */
export type GoogleAnswer =
  | {
      status: number;
      etag: string;
      cancelled: boolean;
      reason: string;
      token: GoogleToken | null;
      /** The whole answer as parsed JSON; null for an answer that is none. */
      json: unknown;
    }
  | { status: null; code: "timeout" | "unreachable" | "unreadable" };

/** An access token of the token endpoint. */
export interface GoogleToken {
  accessToken: string;
  lifeSeconds: number;
}

const usualDeadlineMs = 5_000;
const usualAnswerBytes = 256 * 1_024;

const answerSchema = z.object({
  etag: z.string().default(""),
  status: z.string().default(""),
  access_token: z.string().optional(),
  expires_in: z.number().default(0),
  // A word from the token endpoint, an object from the API.
  error: z
    .union([
      z.string(),
      z.object({ errors: z.array(z.object({ reason: z.string().default("") })).default([]) }),
    ])
    .optional(),
});

const nothing = answerSchema.parse({});

/** Makes one request, without retries. Never throws for errors of the network or of Google. */
export async function callGoogle(
  { url, deadlineMs = usualDeadlineMs, maxAnswerBytes = usualAnswerBytes, ...options }: GoogleCall,
  dispatcher: Dispatcher,
): Promise<GoogleAnswer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    const { statusCode, body } = await request(url, {
      ...options,
      dispatcher,
      signal: deadline.signal,
      // undici's own timers are coarse, so the call has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const bytes = await readBounded(body, maxAnswerBytes);
    return readAnswer(statusCode, bytes.toString("utf8"));
  } catch {
    return { status: null, code: deadline.signal.aborted ? "timeout" : "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

function readAnswer(status: number, text: string): GoogleAnswer {
  const json = parseJson(text) ?? null;
  const parsed = answerSchema.safeParse(json);
  // A proxy in front of Google answers with pages of its own. With a success status that is no
  // answer.
  if (!parsed.success && status < 300 && status !== 204)
    return { status: null, code: "unreadable" };
  const { etag, status: state, access_token, expires_in, error } = parsed.data ?? nothing;
  return {
    status,
    etag,
    cancelled: state === "cancelled",
    reason: typeof error === "string" ? error : (error?.errors[0]?.reason ?? ""),
    token:
      access_token === undefined ? null : { accessToken: access_token, lifeSeconds: expires_in },
    json,
  };
}
