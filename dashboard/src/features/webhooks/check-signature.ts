import {
  eventIdHeader,
  signatureHeader,
  webhookIdHeader,
  webhookSignatureHeader,
  webhookTimestampHeader,
} from "../../../../core/model/workflow/delivery.ts";
import { serializeEvent, type EventEnvelope } from "../../../../core/model/events.ts";

/** The input of a check, as a person pasted it. */
export interface SignatureClaim {
  secret: string;
  /** The text that the receiver used as the raw body. */
  body: string;
  /** Lines of `name: value`, or JSON from a log. */
  headers: string;
}

/** Result of a check: a matching signature, or the input that differs from the signed one. */
export type Finding =
  | "service_fits"
  | "standard_fits"
  | "no_signature"
  | "service_form"
  | "standard_form"
  | "secret_missing"
  | "secret_spaces"
  | "secret_prefix"
  | "secret_older"
  | "secret_other"
  | "body_ends"
  | "body_rewritten"
  | "body_broken"
  | "body_or_secret"
  | "id_other"
  | "timestamp_unit"
  | "timestamp_other"
  | "timestamp_old"
  | "timestamp_ahead";

/** Tolerance in seconds between a timestamp and the receiver's clock, as in Standard Webhooks. */
const toleranceSeconds = 300;

/**
 * Checks the signatures of a delivery with Web Crypto; nothing leaves the browser. For a signature
 * that does not match, the check tries common mistakes of each input. So the result can name the
 * input that differs. @param nowSeconds the receiver's clock, in seconds since 1970
 */
export async function checkSignature(
  claim: SignatureClaim,
  nowSeconds = Date.now() / 1_000,
): Promise<Finding[]> {
  const headers = readHeaders(claim.headers);
  if (headers.service === null && headers.standard === null) return ["no_signature"];
  if (claim.secret.trim() === "") return ["secret_missing"];
  const service = headers.service === null ? null : await judgeService(claim, headers.service);
  const standard = headers.standard === null ? null : await judgeStandard(claim, headers);
  return [
    ...new Set([...explain(claim, service, standard), ...judgeTime(headers, standard, nowSeconds)]),
  ];
}

/** Changes of the input that make a signature match. Undefined where no tried change does. */
type Verdict = { scheme: "service" | "standard"; form: boolean; changes: Finding[] | undefined };

interface Headers {
  service: string | null;
  standard: string | null;
  id: string;
  timestamp: string;
}

function readHeaders(text: string): Headers {
  const find = (name: string): string | null => {
    const line = new RegExp(`(?:^|[\\s"'{,])${name}["']?\\s*[:=]\\s*["']?([^"'\\r\\n]*)`, "iu");
    return line.exec(text)?.[1]?.trim() ?? null;
  };
  return {
    service: find(signatureHeader),
    standard: find(webhookSignatureHeader),
    id: find(webhookIdHeader) ?? find(eventIdHeader) ?? "",
    timestamp: find(webhookTimestampHeader) ?? "",
  };
}

/** An input as pasted or with a mistake corrected, and the findings that follow from a match. */
interface Candidate {
  value: string;
  change: Finding[];
}

/** Different candidates. The first is the given value. */
function candidates(given: string, others: [string | null, Finding][]): Candidate[] {
  const seen = new Set([given]);
  const different = others.flatMap(([value, finding]) => {
    if (value === null || seen.has(value)) return [];
    seen.add(value);
    return [{ value, change: [finding] }];
  });
  return [{ value: given, change: [] }, ...different];
}

function bodiesOf(body: string): Candidate[] {
  return candidates(body, [
    [body.trim(), "body_ends"],
    [`${body}\n`, "body_ends"],
    [rewrite(body), "body_rewritten"],
  ]);
}

function secretsOf(secret: string): Candidate[] {
  const bare = secret.trim().replaceAll(/^["']|["']$/gu, "");
  const prefixed = bare.startsWith("whsec_") ? bare : `whsec_${bare}`;
  return candidates(secret, [
    [bare, "secret_spaces"],
    [prefixed, "secret_prefix"],
  ]);
}

async function judgeService(claim: SignatureClaim, given: string): Promise<Verdict> {
  const scheme = "service";
  const signed = /^sha256=([0-9a-f]{64})$/iu.exec(given)?.[1]?.toLowerCase();
  if (signed === undefined) return { scheme, form: false, changes: undefined };
  for (const secret of secretsOf(claim.secret)) {
    for (const body of bodiesOf(claim.body)) {
      const digest = await hmac(new TextEncoder().encode(secret.value), body.value);
      if (toHex(digest) === signed) {
        return { scheme, form: true, changes: [...secret.change, ...body.change] };
      }
    }
  }
  return { scheme, form: true, changes: undefined };
}

async function judgeStandard(claim: SignatureClaim, headers: Headers): Promise<Verdict> {
  const scheme = "standard";
  const signatures = (headers.standard ?? "").split(/\s+/u);
  const known = signatures.filter((one) => /^v1,[0-9A-Za-z+/]{43}=$/u.test(one));
  if (known.length === 0) return { scheme, form: false, changes: undefined };
  const ids = candidates(headers.id, [[eventIdIn(claim.body), "id_other"]]);
  const seconds = /^\d{13}$/u.test(headers.timestamp) ? headers.timestamp.slice(0, 10) : null;
  const times = candidates(headers.timestamp, [[seconds, "timestamp_unit"]]);
  for (const secret of secretsOf(claim.secret)) {
    const key = decodeSecret(secret.value);
    if (key === null) continue;
    for (const id of ids) {
      for (const time of times) {
        for (const body of bodiesOf(claim.body)) {
          const digest = await hmac(key, `${id.value}.${time.value}.${body.value}`);
          if (!known.includes(`v1,${btoa(String.fromCharCode(...digest))}`)) continue;
          const changes = [secret, id, time, body].flatMap(({ change }) => change);
          return { scheme, form: true, changes };
        }
      }
    }
  }
  return { scheme, form: true, changes: undefined };
}

function explain(
  claim: SignatureClaim,
  service: Verdict | null,
  standard: Verdict | null,
): Finding[] {
  const verdicts = [service, standard].filter((one) => one !== null);
  const found = verdicts.flatMap(({ scheme, form, changes }): Finding[] => {
    if (!form) return [`${scheme}_form`];
    return changes?.length === 0 ? [`${scheme}_fits`] : (changes ?? []);
  });
  const lost = verdicts.filter(({ form, changes }) => form && changes === undefined);
  if (lost.length === 0) return found;
  // The other signature matches, so the inputs that both cover are the signed ones.
  if (lost.length < verdicts.length && service?.form === true && standard?.form === true) {
    return [...found, lost[0] === service ? "secret_older" : "timestamp_other"];
  }
  return [...found, lostInput(claim.body)];
}

/** The input that most likely differs where no candidate matches. */
function lostInput(body: string): Finding {
  const rewritten = rewrite(body);
  if (rewritten === null) return "body_broken";
  return rewritten === body ? "secret_other" : "body_or_secret";
}

function judgeTime(
  { timestamp }: Headers,
  standard: Verdict | null,
  nowSeconds: number,
): Finding[] {
  if (standard?.changes === undefined || !/^\d{1,12}$/u.test(timestamp)) return [];
  const late = nowSeconds - Number(timestamp);
  if (Math.abs(late) <= toleranceSeconds) return [];
  return [late > 0 ? "timestamp_old" : "timestamp_ahead"];
}

/** The bytes that we would have sent for this event; null where the body is not JSON. */
function rewrite(body: string): string | null {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    return null;
  }
  try {
    return serializeEvent(event as EventEnvelope);
  } catch {
    // A later version may send members that this version does not know.
    return JSON.stringify(event);
  }
}

function eventIdIn(body: string): string | null {
  return /"event_id"\s*:\s*"([^"]+)"/u.exec(body)?.[1] ?? null;
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/u, "")), (one) => one.charCodeAt(0));
    return bytes.length === 0 ? null : bytes;
  } catch {
    return null;
  }
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
