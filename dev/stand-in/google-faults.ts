import { z } from "zod";
import { GoogleRefusal, presentRefusal, type GoogleReply } from "./google-wire.ts";
import {
  googleCalls,
  type GoogleCall,
  type GoogleRequest,
  type GoogleWorld,
} from "./google-world.ts";

/** Kinds of trouble, with what the caller sees. */
export const googleFaultKinds = {
  rateLimit: "403 rateLimitExceeded",
  userRateLimit: "403 userRateLimitExceeded",
  quota: "403 quotaExceeded",
  tooMany: "429 rateLimitExceeded",
  forbidden: "403 forbidden: the calendar is no longer shared",
  otherOrganizer: "403 forbiddenForNonOrganizer",
  scopes: "403 insufficientPermissions: a scope is missing",
  unauthorized: "401: the access token has ended",
  notFound: "404",
  changed: "412 conditionNotMet",
  fullSync: "410 fullSyncRequired",
  badRequest: "400 badRequest",
  noPush: "400 pushNotSupportedForRequestedResource",
  badWebhook: "401 webhookUrlUnauthorized",
  invalidGrant: "400 invalid_grant, of the token endpoint",
  backend: "500 backendError",
  unavailable: "503 backendError",
  page: "502 with a page of a proxy instead of JSON",
  garbled: "200 with half an answer",
  cut: "the connection ends without an answer, and nothing is done",
  hang: "never answered, and not done",
  late: "done, and never answered",
  slow: "answered after `ms`",
} as const;
export type GoogleFaultKind = keyof typeof googleFaultKinds;

/** The next `times` calls that fit go wrong. */
export interface GoogleFault {
  kind: GoogleFaultKind;
  /** `*`: any call of the Calendar API. */
  call: GoogleCall | "*";
  /** Empty: any calendar. */
  calendarId: string;
  times: number;
  /** Wait of `slow`. */
  ms: number;
}

/** A test's own choice for each request; null or nothing: all goes well. */
export type GoogleFaultHook = (request: GoogleRequest) => Choice | Promise<Choice>;
type Choice = GoogleFaultKind | null | undefined | void;

const kinds = Object.keys(googleFaultKinds) as [GoogleFaultKind, ...GoogleFaultKind[]];

/** A fault as the controls take it. */
export const googleFault = z.strictObject({
  kind: z.enum(kinds),
  call: z.enum([...googleCalls, "*"]).default("*"),
  calendarId: z.string().default(""),
  times: z.int().min(1).default(1),
  ms: z.int().min(0).default(1_000),
});

const oauthCalls: readonly GoogleCall[] = ["authorize", "token", "revoke", "userinfo", "certs"];

/** The fault of a request, which counts as taken. */
export async function takeFault(
  world: GoogleWorld,
  request: GoogleRequest,
): Promise<GoogleFault | null> {
  const fault = world.faults.find(
    ({ call, calendarId }) =>
      (call === "*" ? !oauthCalls.includes(request.call) : call === request.call) &&
      (calendarId === "" || calendarId === request.calendarId),
  );
  if (fault !== undefined) {
    fault.times -= 1;
    if (fault.times <= 0) world.faults = world.faults.filter((one) => one !== fault);
    return fault;
  }
  const kind = await world.hook?.(request);
  if (!kind) return null;
  return { kind, call: request.call, calendarId: "", times: 1, ms: 1_000 };
}

/** The answer of a fault that refuses; null for one that does something else. */
export function answerFault(kind: GoogleFaultKind): GoogleReply | null {
  if (kind === "invalidGrant")
    return {
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "Token has been expired or revoked.",
      },
    };
  const refusal = refusals[kind];
  return refusal === undefined ? null : presentRefusal(new GoogleRefusal(...refusal));
}

type Refusal = ConstructorParameters<typeof GoogleRefusal>;

const refusals: Partial<Record<GoogleFaultKind, Refusal>> = {
  rateLimit: [403, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits"],
  userRateLimit: [403, "userRateLimitExceeded", "User Rate Limit Exceeded", "usageLimits"],
  quota: [403, "quotaExceeded", "Quota exceeded for quota metric 'Queries'.", "usageLimits"],
  tooMany: [429, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits"],
  forbidden: [403, "forbidden", "Forbidden"],
  otherOrganizer: [
    403,
    "forbiddenForNonOrganizer",
    "Shared properties can only be changed by the organizer of the event.",
    "calendar",
  ],
  scopes: [403, "insufficientPermissions", "Request had insufficient authentication scopes."],
  unauthorized: [401, "authError", "Invalid Credentials"],
  notFound: [404, "notFound", "Not Found"],
  changed: [412, "conditionNotMet", "Precondition Failed"],
  fullSync: [
    410,
    "fullSyncRequired",
    "Sync token is no longer valid, a full sync is required.",
    "calendar",
  ],
  badRequest: [400, "badRequest", "Bad Request"],
  noPush: [
    400,
    "pushNotSupportedForRequestedResource",
    "Push notifications are not supported by this resource.",
  ],
  badWebhook: [401, "push.webhookUrlUnauthorized", "Unauthorized WebHook callback channel"],
  backend: [500, "backendError", "Backend Error"],
  unavailable: [503, "backendError", "Backend Error"],
};
