import type { EntityManager } from "typeorm";
import { NotificationPreferenceRow } from "../../../db/entities/notification.ts";
import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { notificationKinds, type NotificationKind } from "../../model/notification.ts";
import {
  defaultPreference,
  type NotificationPreference,
  type NotificationPreferencesBody,
  type NotificationSurface,
} from "../../model/notification-preferences.ts";

/** A person's choice for every kind of notification, with defaults for kinds without a choice. */
export async function listNotificationPreferences(
  manager: EntityManager,
  userId: number,
): Promise<NotificationPreference[]> {
  const rows = await manager.findBy(NotificationPreferenceRow, { userId });
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  return notificationKinds.map((kind) => withChoice(kind, byKind.get(kind)));
}

/** A person's choice for one kind of notification. */
export async function getNotificationPreference(
  manager: EntityManager,
  userId: number,
  kind: NotificationKind,
): Promise<NotificationPreference> {
  const row = await manager.findOneBy(NotificationPreferenceRow, { userId, kind });
  return withChoice(kind, row);
}

/** Kinds of notification that a person does not want to see in one place. */
export async function listHiddenKinds(
  { manager }: Tx,
  userId: number,
  surface: NotificationSurface,
): Promise<NotificationKind[]> {
  const preferences = await listNotificationPreferences(manager, userId);
  return preferences.filter((one) => !one[surface]).map(({ kind }) => kind);
}

/**
 * Stores choices of a person, which apply in all their accounts.
 * @throws AppError `email_unconfirmed` where mails are switched on for an unconfirmed address.
 */
export async function updateNotificationPreferences(
  tx: Tx,
  userId: number,
  { preferences }: NotificationPreferencesBody,
): Promise<void> {
  if (preferences.some(({ email }) => email === true)) await requireConfirmed(tx, userId);
  for (const { kind, ...chosen } of preferences) {
    const { app, desktop, email } = defaultPreference(kind);
    // One statement, so that two tabs that change two fields of a kind at once keep both.
    await tx.manager.query(
      `INSERT INTO notification_preferences (user_id, kind, app, desktop, email, updated_at)
       VALUES (?, ?, ?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE app = COALESCE(?, app), desktop = COALESCE(?, desktop),
         email = COALESCE(?, email), updated_at = VALUES(updated_at)`,
      [
        userId,
        kind,
        chosen.app ?? app,
        chosen.desktop ?? desktop,
        chosen.email ?? email ?? false,
        tx.now,
        chosen.app ?? null,
        chosen.desktop ?? null,
        chosen.email ?? null,
      ],
    );
  }
}

/** Members of the account who want mails of a kind and can get them. */
export async function listMailReaders(tx: Tx, kind: NotificationKind): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT u.id FROM memberships m ${joinMailReader} WHERE m.account_id = ? ORDER BY u.id`,
    [kind, tx.actor.accountId],
  );
  return rows.map(({ id }) => Number(id));
}

/** Address of a mail, and the reader's language; null means the account's language. */
export interface Recipient {
  to: string;
  locale: string | null;
}

/** The member, if they want mails of a kind and can get them; else null. */
export async function findMailReader(
  tx: Tx,
  userId: number,
  kind: NotificationKind,
): Promise<Recipient | null> {
  const [person] = await tx.manager.query<Recipient[]>(
    `SELECT u.email AS \`to\`, u.locale FROM memberships m ${joinMailReader}
      WHERE m.account_id = ? AND m.user_id = ?`,
    [kind, tx.actor.accountId, userId],
  );
  return person ?? null;
}

/** Joins the person of a membership `m` who wants mails of a kind. Its parameter is the kind. */
const joinMailReader = `
  JOIN users u ON u.id = m.user_id AND m.disabled_at IS NULL AND u.disabled_at IS NULL
       AND u.unconfirmed_account_id = 0
  JOIN notification_preferences p ON p.user_id = u.id AND p.kind = ? AND p.email = 1`;

function withChoice(
  kind: NotificationKind,
  row: NotificationPreferenceRow | null | undefined,
): NotificationPreference {
  const base = defaultPreference(kind);
  if (row === null || row === undefined) return base;
  const { app, desktop, email } = row;
  return { kind, app, desktop, email: base.email === null ? null : email };
}

async function requireConfirmed(tx: Tx, userId: number): Promise<void> {
  if (await tx.manager.existsBy(User, { id: userId, unconfirmedAccountId: 0 })) return;
  throw new AppError("email_unconfirmed");
}
