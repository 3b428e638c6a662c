/** Start or end of an event: `dateTime` with an offset, or `date` for whole days. */
export interface GoogleTime {
  dateTime?: string;
  date?: string;
  timeZone?: string;
}

/** A guest, or a room. `self` is added for the calendar that is asked. */
export interface GoogleGuest {
  email: string;
  displayName?: string;
  responseStatus?: "needsAction" | "declined" | "tentative" | "accepted";
  organizer?: boolean;
  self?: boolean;
  resource?: boolean;
  optional?: boolean;
}

/** A person of an event. For a calendar that is not a primary one, `email` is its id. */
export interface GooglePerson {
  email: string;
  displayName?: string;
  self?: boolean;
}

/** An event in the members of Google Calendar v3. */
export interface GoogleEvent {
  kind: "calendar#event";
  etag: string;
  id: string;
  status: "confirmed" | "tentative" | "cancelled";
  htmlLink: string;
  created: string;
  updated: string;
  summary?: string;
  description?: string;
  location?: string;
  colorId?: string;
  creator: GooglePerson;
  organizer: GooglePerson;
  start: GoogleTime;
  end: GoogleTime;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: GoogleTime;
  transparency?: "opaque" | "transparent";
  visibility?: "default" | "public" | "private" | "confidential";
  iCalUID: string;
  sequence: number;
  attendees?: GoogleGuest[];
  guestsCanModify?: boolean;
  extendedProperties?: {
    private?: Record<string, string>;
    shared?: Record<string, string>;
  };
  reminders?: { useDefault: boolean };
  eventType: string;
}

/** Members that a writer may give. Null removes one. */
export type GoogleEventChange = {
  [K in keyof GoogleEvent]?: GoogleEvent[K] | null;
};

/** A removal in a list: no more members are promised. */
export interface GoogleRemoval {
  kind: "calendar#event";
  etag: string;
  id: string;
  status: "cancelled";
  recurringEventId?: string;
  originalStartTime?: GoogleTime;
}

/** An answer before it is written. A null body has none. */
export interface GoogleReply {
  status: number;
  body: unknown;
}

/** Thrown where Google would refuse. */
export class GoogleRefusal extends Error {
  override readonly name = "GoogleRefusal";
  readonly status: number;
  readonly reason: string;
  readonly domain: string;

  constructor(status: number, reason: string, message: string, domain = "global") {
    super(message);
    this.status = status;
    this.reason = reason;
    this.domain = domain;
  }
}

/** The refusal in the shape of Google's APIs. */
export function presentRefusal({ status, reason, message, domain }: GoogleRefusal): GoogleReply {
  const errors = [{ domain, reason, message }];
  return { status, body: { error: { errors, code: status, message } } };
}

/** The refusal in the shape of the token endpoint, by RFC 6749. */
export function refuseToken(status: number, error: string, description: string): GoogleReply {
  return { status, body: { error, error_description: description } };
}

/** Merges as PATCH does: objects by member, lists as a whole, and null removes. */
export function mergeChange<T extends object>(target: T, change: object): T {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(target));
  for (const [name, value] of Object.entries(change)) {
    const own = merged[name];
    if (value === null) delete merged[name];
    else if (isPlain(value) && isPlain(own)) merged[name] = mergeChange(own, value);
    else if (value !== undefined) merged[name] = structuredClone(value);
  }
  return merged as T;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Keeps what `fields` names, such as `nextPageToken,items(id,start/dateTime)`.
 * @throws GoogleRefusal where the text cannot be read
 */
export function pickFields(body: unknown, fields: string | null): unknown {
  if (fields === null || fields === "" || fields === "*") return body;
  const mask = readMask(fields);
  return mask === null ? body : pick(body, mask);
}

interface Mask extends Map<string, Mask | null> {}

/** @returns null for everything */
function readMask(fields: string): Mask | null {
  const mask: Mask = new Map();
  for (const part of splitAtCommas(fields)) {
    const match = /^([\w*]+)(?:\((.+)\)|\/(.+))?$/u.exec(part.trim());
    const [, name, inner = null, path = null] = match ?? [];
    if (name === undefined)
      throw new GoogleRefusal(400, "invalidParameter", `Invalid field selection ${part}`);
    if (name === "*") return null;
    const below = inner ?? path;
    mask.set(name, below === null ? null : readMask(below));
  }
  return mask;
}

function splitAtCommas(fields: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const sign of fields) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (sign === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

function pick(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => pick(one, mask));
  if (!isPlain(value)) return value;
  const kept = Object.entries(value).filter(([name]) => mask.has(name));
  return Object.fromEntries(
    kept.map(([name, inner]) => {
      const below = mask.get(name) ?? null;
      return [name, below === null ? inner : pick(inner, below)];
    }),
  );
}
