/** The course of one send. A status is a word of the network; pauses are in milliseconds. */
export interface MetaScript {
  about: string;
  /** Answered in place of an acceptance. Code 0: no body. `whatsapp` and `others` as they differ. */
  refusal?: { whatsapp: MetaRefusal; others: MetaRefusal };
  /** Accepted, but the answer never comes. */
  hangs?: true;
  /** The statuses, or the echo, come before the answer. */
  first?: true;
  /** Statuses that follow, in this order. Unset: sent, delivered and read. */
  statuses?: readonly ("sent" | "delivered" | "read" | "failed")[];
  /** Error of a `failed` status. */
  failure?: { code: number; title: string };
  /** Each status comes twice. */
  twice?: true;
  /** Wait before the first status. */
  lateMs?: number;
}

/** An error of the Graph API with its HTTP status. */
export interface MetaRefusal {
  http: number;
  code: number;
  subcode?: number;
  message: string;
}

function both(refusal: MetaRefusal): { whatsapp: MetaRefusal; others: MetaRefusal } {
  return { whatsapp: refusal, others: refusal };
}

/** The answer to a token that Meta does not know, or no longer takes. */
export const invalidToken: MetaRefusal = {
  http: 401,
  code: 190,
  message: "Error validating access token",
};

const tooMany = { http: 400, code: 613, message: "Calls to this api have exceeded the rate limit" };

const all = {
  normal: { about: "accepted, then sent, delivered and read" },
  pair_limit: {
    about: "131056 at WhatsApp: too many messages to one customer",
    refusal: {
      whatsapp: { http: 400, code: 131_056, message: "Pair rate limit hit" },
      others: tooMany,
    },
  },
  number_limit: {
    about: "130429 at WhatsApp, 613 at the others: too many messages",
    refusal: {
      whatsapp: { http: 429, code: 130_429, message: "Rate limit hit" },
      others: tooMany,
    },
  },
  window_late: {
    about: "accepted, then failed by a status with 131047; 10/2018278 at once at the others",
    statuses: ["failed"],
    failure: { code: 131_047, title: "Re-engagement message" },
  },
  token: {
    about: "190: the token is no longer valid, for every call",
    refusal: both(invalidToken),
  },
  unreachable: {
    about: "131026 at WhatsApp, 551 at the others",
    refusal: {
      whatsapp: { http: 400, code: 131_026, message: "Message undeliverable" },
      others: { http: 400, code: 551, message: "This person isn't available right now" },
    },
  },
  other_app: {
    about: "10/2018300: another app has the conversation; 131026 at WhatsApp",
    refusal: {
      whatsapp: { http: 400, code: 131_026, message: "Message undeliverable" },
      others: { http: 400, code: 10, subcode: 2_018_300, message: "Another app has the thread" },
    },
  },
  other_owner: {
    about: "100/2534037: another app owns the thread; 131026 at WhatsApp",
    refusal: {
      whatsapp: { http: 400, code: 131_026, message: "Message undeliverable" },
      others: { http: 400, code: 100, subcode: 2_534_037, message: "Not the thread owner" },
    },
  },
  permission: {
    about: "10: the app may not do this",
    refusal: both({ http: 403, code: 10, message: "Application does not have permission" }),
  },
  not_here: {
    about: "10/33: the app may not write to this customer",
    refusal: both({ http: 403, code: 10, subcode: 33, message: "Permission is missing here" }),
  },
  server_error: {
    about: "500 with an error",
    refusal: {
      whatsapp: { http: 500, code: 131_000, message: "Something went wrong" },
      others: { http: 500, code: 2, message: "Service temporarily unavailable" },
    },
  },
  server_error_bare: {
    about: "502 without a body",
    refusal: both({ http: 502, code: 0, message: "" }),
  },
  hang: { about: "accepted, but the answer never comes", hangs: true },
  status_first: { about: "statuses, and the echo, come before the answer", first: true },
  echo_only: { about: "accepted without a status", statuses: [] },
  shuffled: { about: "read, then delivered, then sent", statuses: ["read", "delivered", "sent"] },
  twice: { about: "each status comes twice", twice: true },
  late: { about: "the statuses come after 5 seconds", lateMs: 5_000 },
} as const satisfies Record<string, MetaScript>;

export type MetaScriptName = keyof typeof all;

/** Scripts of sending by their names. */
export const metaScripts: Readonly<Record<MetaScriptName, MetaScript>> = all;

/** @returns whether this is the name of a script */
export function isMetaScript(name: string): name is MetaScriptName {
  return Object.hasOwn(metaScripts, name);
}

/** Messenger and Instagram refuse at once where WhatsApp fails later. */
export const windowClosed: MetaRefusal = {
  http: 400,
  code: 10,
  subcode: 2_018_278,
  message: "This message is sent outside of allowed window.",
};
