import { z } from "zod";
import { emailInput } from "../core/model/contact.ts";
import { confirmEmail, releaseEmail } from "../core/services/accounts/email-confirmation.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { checkOptions, print, readOptions, type Command } from "./command.ts";
import { withInstallation } from "./with-installation.ts";

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
  const { email, release, ...chosen } = checkOptions(options, { ...values, account });
  await withInstallation(async (dataSource) => {
    const accountId = await transaction(dataSource, systemOf(), (tx) =>
      release ? releaseEmail(tx, email) : confirmEmail(tx, email, chosen.account),
    );
    print(
      release
        ? `${email} is released. The person of account ${accountId} who had it keeps their login.`
        : `${email} is confirmed for the person of account ${accountId}.`,
    );
  });
}
