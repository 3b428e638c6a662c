import { text as readText } from "node:stream/consumers";
import { z } from "zod";
import { isTimeZone } from "../core/model/schedule.ts";
import { emailInput } from "../core/model/contact.ts";
import { hashPassword } from "../core/passwords.ts";
import { actAs } from "../core/services/act-as.ts";
import { createAccount } from "../core/services/accounts/accounts.ts";
import { recordAudit } from "../core/services/accounts/audit.ts";
import { createMember } from "../core/services/accounts/users.ts";
import { transaction, type Tx } from "../db/transaction.ts";
import { checkOptions, print, readOptions, type Command } from "./command.ts";
import { generateReadablePassword } from "./readable-password.ts";
import { withInstallation } from "./with-installation.ts";

const minPasswordLength = 10;

const help = `Makes an account with its first admin in the database that DATABASE_URL names.

Usage: parley account:create --name "Acme" --email ada@example.com [options]

  --name NAME          of the account (1 to 200 characters)
  --email ADDRESS      of the admin; a person who is known already becomes admin of this account too
                       and keeps their password
  --time-zone ZONE     IANA name, such as America/Mexico_City (UTC)
  --locale LOCALE      en or es (en)
  --password-stdin     read the password from standard input instead of making one up
  --help               print this

Needs DATABASE_URL and SECRET_KEY. A password that was made up is printed this once. For the database
of npm start, run it with
  DATABASE_URL=$(node -p 'require("./.local/up.json").databaseUrl') SECRET_KEY=$(cat .local/secret.key)`;

const options = z.object({
  name: z
    .string("--name is missing.")
    .trim()
    .min(1, "--name is empty.")
    .max(200, "--name is too long."),
  email: z.string("--email is missing.").pipe(emailInput),
  timeZone: z.string().refine(isTimeZone, "--time-zone takes an IANA name, such as Europe/Madrid."),
  locale: z.enum(["en", "es"], "--locale takes en or es."),
  passwordStdin: z.boolean(),
});

type Options = z.output<typeof options>;

const argumentTypes = {
  name: { type: "string" },
  email: { type: "string" },
  "time-zone": { type: "string", default: "UTC" },
  locale: { type: "string", default: "en" },
  "password-stdin": { type: "boolean", default: false },
} as const;

/** `parley account:create` */
export const accountCreate: Command = { help, afterFailure: "No account was made.", run };

async function run(args: string[]): Promise<void> {
  const chosen = parseOptions(args);
  const given = chosen.passwordStdin ? await readPassword() : null;
  const password = given ?? generateReadablePassword();
  await withInstallation(async (dataSource) => {
    const passwordHash = await hashPassword(password);
    const actor = { type: "system", accountId: 0 } as const;
    const made = await transaction(dataSource, { actor }, async (tx) => {
      return await createWithAdmin(tx, chosen, passwordHash);
    });
    print(`Account ${made.accountId} "${chosen.name}" is made.`);
    print(`Login:    ${chosen.email}`);
    print(`Password: ${describePassword(made.created, given, password)}`);
  });
}

function parseOptions(args: string[]): Options {
  const values = readOptions(args, argumentTypes);
  const named = {
    ...values,
    timeZone: values["time-zone"],
    passwordStdin: values["password-stdin"],
  };
  return checkOptions(options, named);
}

async function createWithAdmin(
  tx: Tx,
  { name, email, timeZone, locale }: Options,
  passwordHash: string,
): Promise<{ accountId: number; created: boolean }> {
  const accountId = await createAccount(tx, { name, timeZone, locale });
  const inAccount = actAs(tx, "system", accountId);
  const person = { email, name: email.replace(/@.*$/, ""), passwordHash, role: "admin" as const };
  const { userId, created } = await createMember(inAccount, person);
  await recordAudit(inAccount, {
    action: "account.created",
    targetType: "account",
    targetId: accountId,
    details: { name, admin_user_id: userId },
  });
  return { accountId, created };
}

function describePassword(created: boolean, given: string | null, password: string): string {
  if (!created) return "unchanged: this person was known already and is now admin here too";
  return given === null ? password : "the one from standard input";
}

async function readPassword(): Promise<string> {
  const password = (await readText(process.stdin)).replace(/\r?\n$/, "");
  if (password.length >= minPasswordLength) return password;
  throw new Error(`The password on standard input has fewer than ${minPasswordLength} characters.`);
}
