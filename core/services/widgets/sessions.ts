import { isDeepStrictEqual } from "node:util";
import { WidgetSession } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { hashToken, randomBase62, type SecretBox } from "../../secrets.ts";
import type { SiteContext } from "../../model/site-context.ts";
import { withoutSecrets, withPage } from "../../model/visits.ts";
import type { WidgetLocale } from "../../model/widget.ts";
import type { VisitedPage } from "../../model/widget-visit.ts";
import { recordChange } from "../outbox/changes.ts";
import { insertOrLose, insertRow } from "../sql.ts";
import type { LiveWidget } from "./find-widget.ts";
import { issueSecrets, renewSecrets, type VisitSecrets } from "./visit-secrets.ts";

/** A visit that begins or goes on. */
export interface VisitRequest {
  locale: WidgetLocale;
  page: VisitedPage | null;
}

/** A session with the secrets that its browser gets. */
export interface OpenedSession {
  session: WidgetSession;
  token: string;
  /** Null where the browser keeps the secret that it has. */
  resume: string | null;
}

/** Begins a session. It makes no contact and no conversation, since crawlers open pages too. */
export async function beginSession(
  tx: Tx,
  box: SecretBox,
  widget: LiveWidget,
  { locale, page }: VisitRequest,
): Promise<OpenedSession> {
  const { id: widgetId, accountId, channelAccountId } = widget;
  const visitorId = `v_${randomBase62(22)}`;
  const facts = { widgetId, visitorId, createdAt: tx.now };
  const { columns, token, resume } = issueSecrets(box, facts, tx.now, widget.settings.remembers);
  const session = tx.manager.create(WidgetSession, {
    ...facts,
    accountId,
    channelAccountId,
    contactId: null,
    conversationId: null,
    verifiedSub: null,
    madeContact: false,
    locale,
    ...placeOf(null, page, tx.now),
    context: null,
    said: null,
    readMessageId: null,
    lastSeenAt: tx.now,
    endedAt: null,
    ...columns,
  });
  session.id = await insertOrLose(() => insertRow(tx, WidgetSession, session));
  return { session, token, resume };
}

/**
 * The session that a resume secret names, locked. Null if the secret is unknown or too old, or the
 * session has ended. The secret before counts until its overlap is over.
 */
export async function lockResumable(
  tx: Tx,
  widget: LiveWidget,
  secret: string,
): Promise<WidgetSession | null> {
  const hash = hashToken(secret);
  const [found] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM widget_sessions
      WHERE resume_hash = ? AND widget_id = ? AND ended_at IS NULL AND resume_expires_at > ?
      UNION
     SELECT id FROM widget_sessions
      WHERE previous_resume_hash = ? AND widget_id = ? AND ended_at IS NULL AND previous_until > ?
      LIMIT 1`,
    [hash, widget.id, tx.now, hash, widget.id, tx.now],
  );
  return found === undefined ? null : await lockSession(tx, Number(found.id));
}

/** Locks a session of the account; null if it has ended. */
export async function lockSession(tx: Tx, id: number): Promise<WidgetSession | null> {
  const row = await tx.manager.findOne(WidgetSession, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  return row?.endedAt === null ? row : null;
}

/** Continues a locked session, and renews its secrets where they are old. */
export async function resumeSession(
  tx: Tx,
  box: SecretBox,
  widget: LiveWidget,
  session: WidgetSession,
  { locale, page }: VisitRequest,
): Promise<OpenedSession> {
  const { remembers } = widget.settings;
  const { columns, token, resume } = renewSecrets(box, session, tx.now, remembers);
  const place = page === null ? {} : placeOf(session, page, tx.now);
  await storeSession(tx, session, { ...columns, ...place, locale, lastSeenAt: tx.now });
  if (page !== null) await recordVisitor(tx, session);
  return { session, token, resume };
}

/** The visitor of a locked session is on this page now. */
export async function movePage(tx: Tx, session: WidgetSession, page: VisitedPage): Promise<void> {
  const place = placeOf(session, page, tx.now);
  await storeSession(tx, session, { ...place, lastSeenAt: tx.now });
  await recordVisitor(tx, session);
}

/** The site tells these facts of the visitor of a locked session, in place of those before. */
export async function storeContext(
  tx: Tx,
  session: WidgetSession,
  context: SiteContext,
): Promise<void> {
  const next = Object.keys(context).length === 0 ? null : context;
  if (isDeepStrictEqual(next, session.context)) return;
  await storeSession(tx, session, { context: next });
  await recordVisitor(tx, session);
}

function placeOf(
  before: Pick<WidgetSession, "page" | "visits"> | null,
  page: VisitedPage | null,
  now: Date,
): Pick<WidgetSession, "page" | "visits"> {
  if (page === null) return { page, visits: null };
  const next = withoutSecrets(page);
  return { page: next, visits: withPage(before?.visits ?? [], before?.page ?? null, next, now) };
}

/** Stores columns of a locked session, also in the row that the caller has. */
export async function storeSession(
  tx: Tx,
  session: WidgetSession,
  columns: Partial<WidgetSession>,
): Promise<void> {
  Object.assign(session, columns);
  await tx.manager.update(WidgetSession, session.id, columns);
}

/** Records for live views that a visitor has changed. A visitor without a contact has no view. */
export async function recordVisitor(
  tx: Tx,
  { conversationId, contactId }: Pick<WidgetSession, "conversationId" | "contactId">,
): Promise<void> {
  if (conversationId === null) return;
  await recordChange(tx, { kind: "visitor.updated", conversationId, contactId });
}

/** Gives a session whose visitor has changed new secrets. The old ones end at once. */
export async function renewSession(
  tx: Tx,
  box: SecretBox,
  session: WidgetSession,
  remembers: boolean,
): Promise<VisitSecrets> {
  const secrets = issueSecrets(box, session, tx.now, remembers);
  await storeSession(tx, session, secrets.columns);
  return secrets;
}

/** Ends a locked session: its token, its resume secret and its stream. Its visits stay in the card. */
export async function endSession(tx: Tx, session: WidgetSession): Promise<void> {
  await storeSession(tx, session, {
    endedAt: tx.now,
    resumeHash: null,
    previousResumeHash: null,
    said: null,
    page: null,
    context: null,
  });
  await recordVisitEnd(tx, session);
}

/** Records for streams that a session has ended, or is another visitor's from now on. */
export async function recordVisitEnd(
  tx: Tx,
  { conversationId, contactId }: Pick<WidgetSession, "conversationId" | "contactId">,
): Promise<void> {
  await recordChange(tx, { kind: "visitor.ended", conversationId, contactId });
}
