import { hashToken, randomBase62, type SecretBox } from "../../secrets.ts";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import { dayMs, hourMs, minuteMs } from "../../model/durations.ts";

/** Life of a bearer token. */
const tokenMs = dayMs;
/** A token with less left is renewed when its session is resumed. */
const renewTokenMs = 12 * hourMs;
/** Life of a secret that resumes a visitor, since it was last renewed. */
export const resumeMs = 90 * dayMs;
/** A resume secret is renewed at this age. */
const renewResumeMs = 30 * dayMs;
/** Two tabs may resume at once, so the secret before counts for a moment. */
const overlapMs = minuteMs;

type TokenFacts = Pick<WidgetSession, "widgetId" | "visitorId" | "createdAt" | "expiresAt">;

/** Columns of a session that hold its secrets. */
type SecretColumns = Pick<
  WidgetSession,
  | "tokenHash"
  | "expiresAt"
  | "resumeHash"
  | "previousResumeHash"
  | "previousUntil"
  | "resumeExpiresAt"
>;

/** Secrets of a session, as one answer gives them to the browser. */
export interface VisitSecrets {
  columns: Partial<SecretColumns>;
  token: string;
  /** A new resume secret; null where the browser keeps the one that it has. */
  resume: string | null;
}

/**
 * The bearer token of a session. It follows from the session and its end, so two tabs that resume at
 * once get the same one, although only its hash is stored.
 */
function tokenOf(box: SecretBox, session: TokenFacts): string {
  const { widgetId, visitorId, createdAt, expiresAt } = session;
  const text = `${widgetId}:${visitorId}:${createdAt.getTime()}:${expiresAt.getTime()}`;
  return box.sign(text, "widget_token");
}

/** Secrets of a new session, or of one whose visitor has changed. @param remembers a later visit finds the session */
export function issueSecrets(
  box: SecretBox,
  session: Omit<TokenFacts, "expiresAt">,
  now: Date,
  remembers: boolean,
): VisitSecrets {
  const expiresAt = new Date(now.getTime() + tokenMs);
  const token = tokenOf(box, { ...session, expiresAt });
  const resume = remembers ? randomBase62(43) : null;
  return {
    token,
    resume,
    columns: {
      tokenHash: hashToken(token),
      expiresAt,
      resumeHash: resume === null ? null : hashToken(resume),
      previousResumeHash: null,
      previousUntil: null,
      resumeExpiresAt: resume === null ? null : new Date(now.getTime() + resumeMs),
    },
  };
}

/** Secrets of a session that is resumed: those in use, or new ones where they are old. */
export function renewSecrets(
  box: SecretBox,
  session: WidgetSession,
  now: Date,
  remembers: boolean,
): VisitSecrets {
  const isFresh = session.expiresAt.getTime() - now.getTime() >= renewTokenMs;
  const current = tokenOf(box, session);
  // Another key of the installation signs since: the token cannot be told again.
  const isSame = isFresh && hashToken(current).equals(session.tokenHash);
  const issued = issueSecrets(box, session, now, remembers);
  const { tokenHash, expiresAt, resumeHash, resumeExpiresAt } = issued.columns;
  const token = isSame ? current : issued.token;
  const tokenColumns = isSame ? {} : { tokenHash, expiresAt };
  const issuedMs = (session.resumeExpiresAt?.getTime() ?? 0) - resumeMs;
  if (issued.resume === null || now.getTime() - issuedMs < renewResumeMs)
    return { token, resume: null, columns: tokenColumns };
  const columns = {
    ...tokenColumns,
    resumeHash,
    resumeExpiresAt,
    previousResumeHash: session.resumeHash,
    previousUntil: new Date(now.getTime() + overlapMs),
  };
  return { token, resume: issued.resume, columns };
}
