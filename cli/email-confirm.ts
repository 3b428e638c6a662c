import { z } from "zod";
import { loadConfig } from "../core/config.ts";
import { emailInput } from "../core/model/contact.ts";
import { createSecretBox } from "../core/secrets.ts";
import { confirmEmail, releaseEmail } from "../core/services/accounts/email-confirmation.ts";
import { openInstallation } from "../db/open-installation.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { print, readOptions, UsageError, type Command } from "./command.ts";

const help = `Says whose an email address is, where no mail can prove it.

Usage: parley email:confirm --email ada@example.com [options]

  --email ADDRESS   the address of a person who joined by a link that an admin handed on
  --account ID      the account whose person is meant, where people of several claim the address
  --release         take a confirmed address from the person who has it; they keep their login in their
                    accounts, and the next person who proves the address gets it
  --help            print this

A person with a confirmed address can be invited to other accounts and keeps one password for all.
Needs DATABASE_URL and SECRET_KEY.`;

const options = z.object({
  email: z.string("--email is missing.").pipe(emailInput),
  account: z.coerce.number("--account takes a number.").int().min(1).nullable(),
  release: z.boolean(),
});

const argumentTypes = {
  email: { type: "string" },
  account: { type: "string" },
  release: { type: "boolean", default: false },
} as const;

/** `parley email:confirm` */
export const emailConfirm: Command = { help, afterFailure: "Nothing was changed.", run };

async function run(args: string[]): Promise<void> {
  const { account = null, ...values } = readOptions(args, argumentTypes);
  const parsed = options.safeParse({ ...values, account });
  if (!parsed.success) {
    throw new UsageError(parsed.error.issues.map(({ message }) => message).join(" "));
  }
  const { email, release } = parsed.data;
  const config = loadConfig();
  const secretBox = createSecretBox(config.secretKey);
  const database = { url: config.databaseUrl, poolSize: 2 };
  const { dataSource } = await openInstallation({ ...database, strict: false, secretBox });
  try {
    const accountId = await transaction(dataSource, systemOf(), (tx) =>
      release ? releaseEmail(tx, email) : confirmEmail(tx, email, parsed.data.account),
    );
    print(
      release
        ? `${email} is released. The person of account ${accountId} who had it keeps their login.`
        : `${email} is confirmed for the person of account ${accountId}.`,
    );
  } finally {
    await dataSource.destroy();
  }
}
