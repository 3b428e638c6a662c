import { z } from "zod";
import { mailStates } from "../mail.ts";
import { roles } from "../principal.ts";
import { passwordNeeds, userLinkKinds } from "../user.ts";
import { recordId, timestamp } from "../wire.ts";
import { sessionView } from "./dashboard.ts";

/** A person's own view of themselves. */
export const personView = sessionView.shape.user;
export type PersonView = z.output<typeof personView>;

/**
 * A member of the account. `last_seen_at` is to the hour, of the logins that have not ended. A
 * person with an unconfirmed email belongs to this account alone.
 */
export const memberView = z.strictObject({
  id: recordId,
  name: z.string(),
  email: z.string(),
  email_confirmed: z.boolean(),
  role: z.enum(roles),
  disabled_at: timestamp.nullable(),
  last_seen_at: timestamp.nullable(),
  created_at: timestamp,
});
export type MemberView = z.output<typeof memberView>;

/** An invitation that waits to be accepted. */
export const invitationView = z.strictObject({
  id: recordId,
  mail: z.enum(mailStates).nullable(),
  email: z.string(),
  role: z.enum(roles),
  name: z.string().nullable(),
  expires_at: timestamp,
  created_at: timestamp,
});
export type InvitationView = z.output<typeof invitationView>;

/**
 * An invitation with its link, which is shown this once. `url` is null where the link goes by mail.
 */
export const invitationWithUrl = invitationView.extend({ url: z.url().nullable() });

/**
 * A link to set a new password, which is shown this once. `url` is null where the link goes by
 * mail.
 */
export const passwordResetView = z.strictObject({
  url: z.url().nullable(),
  expires_at: timestamp,
});

/**
 * Purpose of a one-time link. `needs_password` says if the link asks for a new password or for the
 * person's own.
 */
export const linkView = z.strictObject({
  kind: z.enum(userLinkKinds),
  email: z.string(),
  name: z.string().nullable(),
  account_name: z.string(),
  expires_at: timestamp,
  needs_password: z.enum(passwordNeeds),
  proves_email: z.boolean(),
});

/** One of a person's own logins. `last_seen_at` is to the hour. */
export const ownSessionView = z.strictObject({
  id: recordId,
  current: z.boolean(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: timestamp,
  last_seen_at: timestamp,
});
export type OwnSessionView = z.output<typeof ownSessionView>;
