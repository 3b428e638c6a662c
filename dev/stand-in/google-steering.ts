import type { GoogleFault, GoogleFaultHook } from "./google-faults.ts";
import { changeEvent, findEvent, insertEvent, removeEvent, splitSeries } from "./google-events.ts";
import { listInstancesNow } from "./google-lists.ts";
import { endConsent, makeGrant } from "./google-oauth.ts";
import type { GooglePush, GooglePushes } from "./google-pushes.ts";
import type { GoogleEvent, GoogleEventChange } from "./google-wire.ts";
import {
  accountOf,
  calendarOf,
  type GoogleChannel,
  type GoogleRequest,
  type GoogleRules,
  type GoogleWorld,
} from "./google-world.ts";

/** Scopes that Parley asks for. */
export const parleyScopes: readonly string[] = [
  "openid",
  "https://www.googleapis.com/auth/userinfo.email",
  "https://www.googleapis.com/auth/calendar.events",
  "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
];

/** The controls of a stand-in. Edits are those of a person in Google's own pages. */
export interface GoogleSteering {
  /** `organizer` makes it the event of somebody else, with the calendar's owner as a guest. */
  insert(this: void, calendarId: string, event: GoogleEventChange): GoogleEvent;
  /** Changes an event, a series or one instance. An organizer elsewhere may have done so. */
  change(this: void, calendarId: string, id: string, change: GoogleEventChange): GoogleEvent;
  remove(this: void, calendarId: string, id: string): void;
  /** "This and following events" of a series. @returns the new series */
  split(this: void, calendarId: string, id: string, change: GoogleEventChange): GoogleEvent;
  /** A copy takes over the private properties, as in Google's pages. */
  copy(this: void, calendarId: string, id: string): GoogleEvent;
  /** The event as it is now, deleted ones too; null where there is none. */
  find(this: void, calendarId: string, id: string): GoogleEvent | null;
  /** Events that are not deleted, with the instances of series. */
  list(this: void, calendarId: string): GoogleEvent[];
  /** Consent without the screens. @returns the refresh token */
  grant(this: void, email: string, options?: { scopes?: string[]; refreshToken?: string }): string;
  /** The person takes the consent back at Google. */
  endConsent(this: void, email: string): void;
  /** Ends every access token that was given out. */
  endAccessTokens(this: void): void;
  /** Sync tokens so far lead to 410. */
  endSyncTokens(this: void, calendarId: string): void;
  /** Adds a fault. The first that fits a request is taken. */
  fail(this: void, fault: Partial<GoogleFault> & Pick<GoogleFault, "kind">): void;
  /** Asked for each request that no fault fits. */
  hook(this: void, hook: GoogleFaultHook | null): void;
  /** No fault any more. */
  heal(this: void): void;
  rules(this: void, rules: Partial<GoogleRules>): void;
  /** Its clock goes ahead. Tokens and channels end by it. */
  advance(this: void, ms: number): void;
  pushes: Pick<GooglePushes, "choose" | "release" | "idle"> & { list(this: void): GooglePush[] };
  channels(this: void): GoogleChannel[];
  requests(this: void): GoogleRequest[];
}

/** The controls over a world. */
export function steerGoogle(world: GoogleWorld): GoogleSteering {
  const { pushes } = world;
  return {
    insert(calendarId, event) {
      return insertEvent(world, calendarOf(world, calendarId), event);
    },
    change(calendarId, id, change) {
      return changeEvent(world, calendarOf(world, calendarId), id, change);
    },
    remove(calendarId, id) {
      removeEvent(world, calendarOf(world, calendarId), id);
    },
    split(calendarId, id, change) {
      return splitSeries(world, calendarOf(world, calendarId), id, change);
    },
    copy(calendarId, id) {
      const calendar = calendarOf(world, calendarId);
      const event = findEvent(world, calendar, id);
      if (event === null) throw new Error(`No event ${id}.`);
      const { summary, description, start, end, attendees, extendedProperties } = event;
      const given = { summary, description, start, end, attendees, extendedProperties };
      const entries = Object.entries(given).filter(([, value]) => value !== undefined);
      return insertEvent(world, calendar, structuredClone(Object.fromEntries(entries)));
    },
    find: (calendarId, id) => findEvent(world, calendarOf(world, calendarId), id),
    list: (calendarId) => listInstancesNow(world, calendarOf(world, calendarId)),
    grant(email, { scopes = [...parleyScopes], refreshToken } = {}) {
      return makeGrant(world, accountOf(world, email), scopes, refreshToken).refreshToken;
    },
    endConsent: (email) => endConsent(world, accountOf(world, email)),
    endAccessTokens: () => world.accessTokens.clear(),
    endSyncTokens(calendarId) {
      const calendar = calendarOf(world, calendarId);
      calendar.seq += 1;
      calendar.oldestSeq = calendar.seq;
    },
    fail: (fault) =>
      void world.faults.push({ call: "*", calendarId: "", times: 1, ms: 1_000, ...fault }),
    hook: (hook) => void (world.hook = hook),
    heal: () => void (world.faults = []),
    rules: (rules) => void Object.assign(world.rules, rules),
    advance: (ms) => void (world.aheadMs += ms),
    pushes: {
      choose: pushes.choose,
      release: pushes.release,
      idle: pushes.idle,
      list: pushes.list,
    },
    channels: () => [...world.channels.values()],
    requests: () => [...world.requests],
  };
}
