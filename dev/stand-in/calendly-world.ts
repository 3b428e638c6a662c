import { randomBytes } from "node:crypto";

/** Addresses of Calendly's things. The stand-in listens elsewhere, as a client must not follow them. */
export const calendlyOrigin = "https://api.calendly.com";

/** Every scope that the stand-in knows. A `write` scope includes its `read` scope. */
export const calendlyScopes = [
  "users:read",
  "organizations:read",
  "event_types:read",
  "scheduled_events:write",
  "webhooks:write",
] as const;

/** A member of the organization. */
export interface CalendlyUser {
  id: string;
  name: string;
  email: string;
  role: "owner" | "admin" | "user";
}

/** A token, and its owner. Null scopes: a token from before scopes, which may do everything. */
export interface CalendlyToken {
  userId: string;
  scopes: readonly string[] | null;
  /** The token belongs to the OAuth app, whose key signs webhooks of its subscriptions. */
  isOfApp?: boolean;
}

/** The OAuth app that is registered here. */
export interface CalendlyRegisteredApp {
  clientId: string;
  clientSecret: string;
  signingKey: string;
  /** Scopes that a person grants; null: those that the app asks for. */
  granted: readonly string[] | null;
}

/** A code of a consent. It is good for one try. */
export interface CalendlyCode {
  userId: string;
  scopes: readonly string[];
  redirectUri: string;
  /** SHA-256 of the verifier of PKCE, as base64url. */
  challenge: string | null;
}

/** An event type. */
export interface CalendlyType {
  id: string;
  name: string;
  userId: string;
  /** Number of invitees of one event. */
  limit: number;
}

/** A time that is booked. */
export interface CalendlyBooking {
  id: string;
  typeId: string;
  title: string;
  startTime: Date;
  endTime: Date;
  hostIds: string[];
  status: "active" | "canceled";
  location: Record<string, string>;
  /** Id of the copy in the host's Google calendar; null until it is written there. */
  googleId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A person who takes part in an event. */
export interface CalendlyGuest {
  id: string;
  eventId: string;
  name: string;
  email: string;
  reminderNumber: string | null;
  answers: { question: string; answer: string }[];
  status: "active" | "canceled";
  rescheduled: boolean;
  /** Ids of the guest before and after a move. */
  oldId: string | null;
  newId: string | null;
  cancelReason: string | null;
  noShowId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A subscription of webhooks. */
export interface CalendlyHook {
  id: string;
  url: string;
  events: string[];
  scope: "organization" | "user";
  userId: string | null;
  signingKey: string;
  state: "active" | "disabled";
}

/** One POST of a webhook, as it was answered. */
export interface CalendlyPost {
  kind: string;
  url: string;
  body: string;
  signature: string;
  /** Null: no answer came. */
  status: number | null;
}

/** A webhook that waits for `release`. */
export interface CalendlyWaiting {
  kind: string;
  hook: CalendlyHook;
  body: string;
}

/** A grant of the OAuth app. A refresh token works once. */
export interface CalendlyGrant {
  userId: string;
  scopes: readonly string[];
  refreshToken: string;
  accessToken: string;
}

/** A call of the API. */
export interface CalendlyRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  status: number;
}

/**
 * Fault of the next calls to the API. `status` and `quota` answer with `status`, and `quota` adds
 * `X-RateLimit-Reset`. `hang` never answers.
 */
export interface CalendlyFault {
  kind: "status" | "hang" | "quota";
  status: number;
  /** Seconds of `X-RateLimit-Reset`. */
  resetSeconds: number;
  left: number;
}

/** Everything that the stand-in keeps. */
export interface CalendlyWorld {
  organizationId: string;
  users: CalendlyUser[];
  types: CalendlyType[];
  tokens: Map<string, CalendlyToken>;
  app: CalendlyRegisteredApp;
  codes: Map<string, CalendlyCode>;
  grants: Map<string, CalendlyGrant>;
  bookings: Map<string, CalendlyBooking>;
  guests: Map<string, CalendlyGuest>;
  hooks: Map<string, CalendlyHook>;
  /** False: the plan has no webhooks, and a subscription is refused with 403. */
  allowsHooks: boolean;
  /** Origin that stands for the https origin of subscriptions; null: they are called as they are. */
  route: string | null;
  isHeld: boolean;
  waiting: CalendlyWaiting[];
  posts: CalendlyPost[];
  requests: CalendlyRequest[];
  fault: CalendlyFault | null;
  now: () => Date;
}

/** The OAuth app that every stand-in knows. */
export const calendlyApp = {
  clientId: "parley-stand-in",
  clientSecret: "stand-in-secret",
  signingKey: "stand-in-signing-key",
};

/** Settings that point a process of ours to a stand-in, with its OAuth app. */
export function calendlySettings(url: string): Record<string, string> {
  return {
    CALENDLY_API_URL: url,
    CALENDLY_AUTH_URL: url,
    CALENDLY_CLIENT_ID: calendlyApp.clientId,
    CALENDLY_CLIENT_SECRET: calendlyApp.clientSecret,
    CALENDLY_SIGNING_KEY: calendlyApp.signingKey,
  };
}

/** A new id, as Calendly's look. */
export function newCalendlyId(): string {
  return randomBytes(8).toString("hex").toUpperCase();
}

/** A world with one owner, one member and three event types. */
export function createCalendlyWorld(now: () => Date): CalendlyWorld {
  const users: CalendlyUser[] = [
    { id: "OWNER", name: "Lucía Peña", email: "lucia@clinic.example", role: "owner" },
    { id: "MEMBER", name: "Mario Ruiz", email: "mario@clinic.example", role: "user" },
  ];
  const types: CalendlyType[] = [
    { id: "VISIT", name: "Consulta", userId: "OWNER", limit: 1 },
    { id: "CHECK", name: "Revisión", userId: "MEMBER", limit: 1 },
    { id: "CLASS", name: "Clase", userId: "OWNER", limit: 10 },
  ];
  return {
    organizationId: "ORG",
    users,
    types,
    tokens: new Map([
      ["owner-token", { userId: "OWNER", scopes: calendlyScopes }],
      ["member-token", { userId: "MEMBER", scopes: calendlyScopes }],
      ["legacy-token", { userId: "OWNER", scopes: null }],
    ]),
    app: { ...calendlyApp, granted: null },
    codes: new Map(),
    grants: new Map(),
    bookings: new Map(),
    guests: new Map(),
    hooks: new Map(),
    allowsHooks: true,
    route: null,
    isHeld: false,
    waiting: [],
    posts: [],
    requests: [],
    fault: null,
    now,
  };
}
