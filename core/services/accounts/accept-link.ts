import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, WriteConflict } from "../../errors.ts";
import type { Role } from "../../model/principal.ts";
import { actAs } from "../act-as.ts";
import { recordAudit } from "./audit.ts";
import { confirmProvedEmail } from "./email-confirmation.ts";
import { isMemberElsewhere } from "./members.ts";
import { insertOrLose } from "../sql.ts";
import { lockOpenLink, markLinkUsed, requireNoMember, type OpenLink } from "./user-links.ts";
import { createMember, lockPerson, setPassword, type LoginCandidate } from "./users.ts";

/**
 * Proof by the reader of a link: a chosen password, or a present one that was checked. Made before
 * the transaction.
 */
export type LinkProof =
  | { password: "new"; passwordHash: string; name: string | null }
  | { password: "existing"; candidate: LoginCandidate };

/**
 * Uses a link: makes the invited person a member, or sets the new password and ends every login.
 * @returns the person with the valid password hash, and the account of the link.
 * @throws AppError `link_not_found`, `already_member`, or `login_failed`. The last means: the proof
 *   is not the person's, or the person was created meanwhile.
 */
export async function acceptLink(
  tx: Tx,
  tokenHash: Buffer,
  proof: LinkProof,
): Promise<{ candidate: LoginCandidate; accountId: number }> {
  const link = await lockOpenLink(tx, tokenHash);
  if (link === null) throw new AppError("link_not_found");
  const inAccount = actAs(tx, "system", link.accountId);
  const candidate =
    link.kind === "invitation"
      ? await acceptInvitation(inAccount, link, proof)
      : await acceptPasswordReset(inAccount, link, proof);
  await recordUse(tx, link, candidate.userId);
  return { candidate, accountId: link.accountId };
}

async function acceptInvitation(tx: Tx, link: OpenLink, proof: LinkProof): Promise<LoginCandidate> {
  const { email, role } = link;
  await requireNoMember(tx, email);
  const name = (proof.password === "new" ? proof.name : null) ?? link.name;
  const person = { email, role, name: name ?? email.replace(/@.*$/, "") };
  if (proof.password === "existing") return await joinAsKnown(tx, link, person, proof.candidate);
  // The person was created after the form was read, so the proof is not that of the person.
  if (link.password === "existing") throw new AppError("login_failed");
  const { passwordHash } = proof;
  const input = { ...person, passwordHash };
  const made = await insertOrLose(() => createMember(tx, input, link.provesEmail));
  // Another person confirmed this email just now. The next try finds that person.
  if (!made.created) throw new WriteConflict();
  await markLinkUsed(tx, link.id, made.userId);
  return { userId: made.userId, passwordHash };
}

/**
 * Only a person who has confirmed the email may join with their own login. Other people belong to
 * one account.
 */
async function joinAsKnown(
  tx: Tx,
  link: OpenLink,
  person: { email: string; role: Role; name: string },
  candidate: LoginCandidate,
): Promise<LoginCandidate> {
  if (candidate.userId !== link.userId || !(await lockPerson(tx, candidate)))
    throw new AppError("login_failed");
  const { passwordHash } = candidate;
  await insertOrLose(() => createMember(tx, { ...person, passwordHash }));
  await markLinkUsed(tx, link.id, candidate.userId);
  return candidate;
}

async function acceptPasswordReset(
  tx: Tx,
  link: OpenLink,
  proof: LinkProof,
): Promise<LoginCandidate> {
  if (proof.password === "existing" || link.userId === null) throw new AppError("login_failed");
  const { passwordHash } = proof;
  const { userId, accountId } = link;
  await tx.manager.findOne(User, { where: { id: userId }, lock: { mode: "pessimistic_write" } });
  // A join of an account holds this lock too. The new password must not open an account that was
  // joined meanwhile.
  if (!link.provesEmail && (await isMemberElsewhere(tx.manager, userId, accountId))) {
    throw new AppError("link_not_found");
  }
  await markLinkUsed(tx, link.id, userId);
  await setPassword(tx, userId, passwordHash);
  if (link.provesEmail) await confirmProvedEmail(tx, userId);
  return { userId, passwordHash };
}

async function recordUse(tx: Tx, link: OpenLink, userId: number): Promise<void> {
  const { id, kind, accountId, role, createdByUserId } = link;
  const details = { link_id: id, created_by_user_id: createdByUserId };
  await recordAudit(
    { ...tx, actor: { type: "user", userId, accountId, role } },
    kind === "invitation"
      ? { action: "invitation.accepted", targetType: "invitation", targetId: id, details: { role } }
      : { action: "user.password_reset", targetType: "user", targetId: userId, details },
  );
}
