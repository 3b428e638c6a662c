import { setTimeout } from "node:timers/promises";
import { AppError, invalidField } from "../../core/errors.ts";
import { newPasswordInput } from "../../core/model/user.ts";
import { networkOf } from "../../core/network.ts";
import { hashPassword } from "../../core/passwords.ts";
import { hashToken, type SecretBox } from "../../core/secrets.ts";
import { acceptLink, type LinkProof } from "../../core/services/accounts/accept-link.ts";
import { mailNewPasswordLinks } from "../../core/services/accounts/forgotten-password.ts";
import { findOpenLink, type OpenLink } from "../../core/services/accounts/user-links.ts";
import { findLogins } from "../../core/services/accounts/users.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import type { RequestFacts } from "../http/route.ts";
import { findPasswordMatch, startLogin } from "./login.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Links";

/**
 * Time in ms from the request to the answer about a forgotten password. A known address costs a
 * write to the disk, and the time of the answer must not tell that.
 */
const forgottenAnswerMs = 500;
const access = { kind: "public" } as const;

/** Actions on a one-time link. Its token is sent in bodies, which are never logged. */
export const linkRoutes = [
  dashboardRoute("POST /links/read", {
    access,
    tag,
    summary: "What a one-time link is for",
    errors: ["link_not_found", "rate_limited"],
    prepare: async ({ body, facts }, deps) => await getOpenLink(deps, body.token, facts),
    run: async (_tx, { prepared: link }) => ({ data: present(link) }),
  }),
  dashboardRoute("POST /links/accept", {
    access,
    tag,
    summary: "Use a one-time link, with a new password or one's own, and log in",
    errors: ["link_not_found", "login_failed", "already_member", "rate_limited"],
    prepare: async ({ body, facts }, deps) => {
      const link = await getOpenLink(deps, body.token, facts);
      return await prove(deps, link, body, facts);
    },
    run: async (tx, { body, prepared: proof, facts }, deps) => {
      const { candidate, accountId } = await acceptLink(tx, hashToken(body.token), proof);
      return await startLogin(tx, deps, candidate, { accountId, userAgent: facts.userAgent });
    },
  }),
  dashboardRoute("GET /links/options", {
    access,
    tag,
    summary: "How links reach people",
    run: (_tx, _input, { config }) => Promise.resolve({ data: { mail: config.mail !== null } }),
  }),
  dashboardRoute("POST /links/forgotten-password", {
    access,
    tag,
    summary: "Have a link for a new password mailed to you; the answer is the same for any address",
    errors: ["mail_off", "rate_limited"],
    prepare: ({ body, facts }, deps) => {
      requireMails(deps, `address:${networkOf(facts.ip)}`);
      // A mail costs 5 tokens, so an address gets four requests at once, known or not: no mailbox
      // is flooded.
      requireMails(deps, `email:${body.email}`, 5);
      return performance.now();
    },
    run: async (tx, { body }, deps) => {
      const mailBox = mailBoxOf(deps);
      if (mailBox === null) throw new AppError("mail_off");
      await mailNewPasswordLinks(tx, body.email, mailBox);
      return { data: null };
    },
    settle: async (answer, { prepared: askedAt }) => {
      await setTimeout(Math.max(0, askedAt + forgottenAnswerMs - performance.now()));
      return answer;
    },
  }),
];

/**
 * URL of a link; null for a link that is sent by mail. The part behind # never leaves the browser,
 * so no proxy logs it.
 */
export function linkUrl({ config }: Deps, linkToken: string | null): string | null {
  return linkToken === null ? null : `${config.publicUrl}/link#token=${linkToken}`;
}

/** Seals the tokens of links that are sent by mail; null if no mail server is set up. */
export function mailBoxOf({ config, secretBox }: Deps): SecretBox | null {
  return config.mail === null ? null : secretBox;
}

interface LinkAnswer {
  name?: string | undefined;
  password: string;
  existing?: boolean | undefined;
}

/**
 * @throws AppError `rate_limited` if too many mails were requested. Without a mail server nothing
 * is counted.
 */
export function requireMails({ config, limitMails }: Deps, caller: string, cost = 1): void {
  if (config.mail === null) return;
  requireTokens(limitMails, caller, cost);
}

/** @throws AppError `link_not_found`, or `rate_limited` after too many unknown tokens. */
async function getOpenLink(
  { dataSource, limitLinks }: Deps,
  linkToken: string,
  { ip }: RequestFacts,
): Promise<OpenLink> {
  const caller = networkOf(ip);
  requireTokens(limitLinks, caller);
  const link = await findOpenLink(dataSource.manager, hashToken(linkToken), new Date());
  if (link === null) throw new AppError("link_not_found");
  limitLinks(caller, -1);
  return link;
}

/**
 * Checks a new person's password first against the login with this email, known or not. So a person
 * joins with their own login, and a link never reveals if there is one.
 */
async function prove(
  deps: Deps,
  link: OpenLink,
  { name, password, existing = false }: LinkAnswer,
  facts: RequestFacts,
): Promise<LinkProof> {
  if (link.kind === "invitation") {
    const { email } = link;
    const candidate = await findPasswordMatch(deps, { email, password }, facts, async () => {
      const logins = await findLogins(deps.dataSource.manager, email);
      return logins.filter(({ confirmed }) => confirmed);
    });
    if (candidate !== null) return { password: "existing", candidate };
    if (existing || link.password === "existing") throw new AppError("login_failed");
  }
  const parsed = newPasswordInput.safeParse(password);
  const issue = parsed.error?.issues[0];
  if (issue !== undefined) throw invalidField("body.password", issue.code, issue.message);
  return { password: "new", passwordHash: await hashPassword(password), name: name ?? null };
}

function present(link: OpenLink) {
  return {
    kind: link.kind,
    email: link.email,
    name: link.name,
    account_name: link.accountName,
    expires_at: link.expiresAt.toISOString(),
    needs_password: link.password,
    proves_email: link.provesEmail,
  };
}
