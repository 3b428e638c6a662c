import type { GoogleFault, GoogleFaultHook } from "./google-faults.ts";
import type { GooglePushes } from "./google-pushes.ts";
import type { GoogleEvent } from "./google-wire.ts";

/** A person with an account at Google. The email address is the id of the primary calendar. */
export interface GoogleAccount {
  sub: string;
  email: string;
  name: string;
  calendars: readonly GoogleCalendarFacts[];
}

/** A calendar in the list of an account. */
export interface GoogleCalendarFacts {
  id: string;
  summary: string;
  /** IANA name. */
  timeZone: string;
  accessRole: "owner" | "writer" | "reader" | "freeBusyReader";
}

/** Client of Parley at the stand-in, unless the rules name another. */
export const googleClient = { id: "stand-in.apps.google.example", secret: "stand-in-secret" };

/** Accounts of a stand-in that is given none. Her first calendar is the primary one. */
export const googleAccounts: readonly GoogleAccount[] = [
  {
    sub: "110169484474386276334",
    email: "ada@google.example",
    name: "Ada Ortega",
    calendars: [
      {
        id: "ada@google.example",
        summary: "Ada Ortega",
        timeZone: "America/Mexico_City",
        accessRole: "owner",
      },
      {
        id: "c_room2@group.calendar.google.example",
        summary: "Consultorio 2",
        timeZone: "America/Mexico_City",
        accessRole: "writer",
      },
      {
        id: "es.mexican#holiday@group.v.calendar.google.example",
        summary: "Días festivos",
        timeZone: "America/Mexico_City",
        accessRole: "reader",
      },
    ],
  },
  {
    sub: "110169484474386276335",
    email: "bruno@google.example",
    name: "Bruno Salas",
    calendars: [
      {
        id: "bruno@google.example",
        summary: "Bruno Salas",
        timeZone: "Europe/Madrid",
        accessRole: "owner",
      },
    ],
  },
];

/** An event, or a series with its changed instances. */
export interface EventRecord {
  event: GoogleEvent;
  /** Number of the last change in the calendar. */
  seq: number;
  /** Changed and deleted instances by their id. */
  instances: Map<string, { event: GoogleEvent; seq: number }>;
}

/** Content of a calendar. */
export interface GoogleCalendar {
  facts: GoogleCalendarFacts;
  /** Events and series by id, deleted ones too. */
  records: Map<string, EventRecord>;
  /** Instances that no rule gives any more, with the number of that change. */
  vanished: Map<string, { seq: number; baseId: string }>;
  /** Counts the changes. */
  seq: number;
  /** Sync tokens of earlier changes are no longer valid. */
  oldestSeq: number;
}

/** Consent of a person for a client. A refresh token belongs to it. */
export interface GoogleGrant {
  account: GoogleAccount;
  scopes: string[];
  refreshToken: string;
  /** Epoch milliseconds. */
  givenAt: number;
  isRevoked: boolean;
}

/** A channel of pushes. */
export interface GoogleChannel {
  id: string;
  calendarId: string;
  resourceId: string;
  resourceUri: string;
  address: string;
  token: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** Number of the last push. */
  messages: number;
}

/** A request, in the order of arrival. */
export interface GoogleRequest {
  call: GoogleCall;
  method: string;
  path: string;
  /** Empty where the path names none. */
  calendarId: string;
  eventId: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** JSON or the form's members. */
  body: Record<string, unknown>;
  /** HTTP status of the answer; 0: it never came. */
  answered: number;
}

/** Routes of the stand-in. */
export const googleCalls = [
  "authorize",
  "token",
  "revoke",
  "userinfo",
  "certs",
  "calendarList",
  "calendar",
  "list",
  "insert",
  "get",
  "patch",
  "delete",
  "instances",
  "watch",
  "stop",
] as const;
export type GoogleCall = (typeof googleCalls)[number];

/** The rules that a test may turn. */
export interface GoogleRules {
  clientId: string;
  clientSecret: string;
  /** Life of an access token. */
  accessSeconds: number;
  /** An app in "Testing": refresh tokens end after 7 days. */
  isTesting: boolean;
  /** Each refresh gives another refresh token, and ends the old one. */
  rotates: boolean;
  /** Life of a channel unless its request asks for less. */
  channelMs: number;
  /** Refuses channels with an address that is not https. */
  httpsOnly: boolean;
  /** Calls of the Calendar API in a minute of one account. */
  callsPerMinute: number;
}

/** Everything that the stand-in knows. Its parts change it. */
export interface GoogleWorld {
  accounts: readonly GoogleAccount[];
  calendars: Map<string, GoogleCalendar>;
  rules: GoogleRules;
  /** Epoch milliseconds of its clock. */
  now(this: void): number;
  /** Milliseconds that its clock is ahead. */
  aheadMs: number;
  grants: GoogleGrant[];
  accessTokens: Map<string, { grant: GoogleGrant; scopes: string[]; untilMs: number }>;
  codes: Map<string, GoogleCode>;
  channels: Map<string, GoogleChannel>;
  pushes: GooglePushes;
  /** The next faults. The first that fits a request is taken. */
  faults: GoogleFault[];
  /** Asked for each request that no fault fits. */
  hook: GoogleFaultHook | null;
  requests: GoogleRequest[];
  /** Pages of a list that go on, by page token. */
  pages: Map<string, GooglePage>;
  /** Moments of calls in the last minute, by account. */
  spent: Map<string, number[]>;
}

/** A code that waits for the token endpoint. */
export interface GoogleCode {
  account: GoogleAccount;
  scopes: string[];
  redirectUri: string;
  challenge: string | null;
  nonce: string | null;
  wantsRefresh: boolean;
  untilMs: number;
}

/** The rest of a list. Its items are those of the first page's moment. */
export interface GooglePage {
  calendarId: string;
  /** The parameters of the first page. The next pages repeat them. */
  parameters: string;
  rest: readonly unknown[];
  syncToken: string | null;
}

const maxKept = 2_000;

/** Keeps an entry, and lets the oldest go. */
export function keepRequest(world: GoogleWorld, request: GoogleRequest): void {
  world.requests.push(request);
  if (world.requests.length > maxKept) world.requests.shift();
}

/** An empty calendar. */
export function createCalendar(facts: GoogleCalendarFacts): GoogleCalendar {
  return { facts, records: new Map(), vanished: new Map(), seq: 0, oldestSeq: 0 };
}

/** @throws Error where no account has the calendar */
export function calendarOf({ calendars }: GoogleWorld, calendarId: string): GoogleCalendar {
  const calendar = calendars.get(calendarId);
  if (calendar === undefined) throw new Error(`No calendar ${calendarId}.`);
  return calendar;
}

/** @throws Error where nobody has the address */
export function accountOf({ accounts }: GoogleWorld, email: string): GoogleAccount {
  const account = accounts.find((one) => one.email === email);
  if (account === undefined) throw new Error(`No account ${email}.`);
  return account;
}

/** A new etag and time of change. @returns the number of the change */
export function touch(world: GoogleWorld, calendar: GoogleCalendar, event: GoogleEvent): number {
  calendar.seq += 1;
  event.etag = `"${3_480_000_000 + calendar.seq}000"`;
  event.updated = new Date(world.now()).toISOString();
  return calendar.seq;
}
