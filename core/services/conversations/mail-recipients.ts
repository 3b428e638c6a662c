import { Conversation } from "../../../db/entities/conversation.ts";
import type { Mail } from "../../../db/entities/mail.ts";
import { User } from "../../../db/entities/user.ts";
import { UserLink } from "../../../db/entities/user-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { hasReplied } from "./conversation-state.ts";

/** Address of a mail, and the reader's language; null means the account's language. */
export interface Recipient {
  to: string;
  locale: string | null;
}

/** The reader of a mail, or null if the mail is no longer needed. */
export async function findRecipient(
  tx: Tx,
  mail: Pick<Mail, "kind" | "userLinkId" | "userId" | "conversationId">,
): Promise<Recipient | null> {
  if (mail.kind === "needs_person") return await findWanted(tx, mail);
  if (mail.userLinkId === null) return null;
  const link = await tx.manager.findOneBy(UserLink, { id: mail.userLinkId });
  if (link === null || link.usedAt !== null || link.revokedAt !== null) return null;
  if (link.expiresAt <= tx.now) return null;
  if (link.kind === "password_reset") return await findPerson(tx, link.userId);
  return link.email === null ? null : { to: link.email, locale: null };
}

async function findPerson(tx: Tx, id: number | null): Promise<Recipient | null> {
  const user = id === null ? null : await tx.manager.findOneBy(User, { id });
  if (user === null || user.disabledAt !== null) return null;
  return { to: user.email, locale: user.locale };
}

/**
 * The assignee of the unanswered conversation, if they want mails and their address is confirmed.
 */
async function findWanted(
  tx: Tx,
  { conversationId, userId }: Pick<Mail, "conversationId" | "userId">,
): Promise<Recipient | null> {
  const { accountId } = tx.actor;
  if (conversationId === null || userId === null) return null;
  const conversation = await tx.manager.findOneBy(Conversation, { id: conversationId, accountId });
  if (conversation?.status !== "handed_off" || hasReplied(conversation)) return null;
  if (conversation.assignedToUserId !== userId) return null;
  const [person] = await tx.manager.query<Recipient[]>(
    `SELECT u.email AS \`to\`, u.locale FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.account_id = ? AND m.user_id = ? AND m.disabled_at IS NULL AND u.disabled_at IS NULL
        AND u.mail_needs_person = 1 AND u.unconfirmed_account_id = 0`,
    [accountId, userId],
  );
  return person ?? null;
}
