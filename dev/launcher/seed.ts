import type { DataSource } from "typeorm";
import { Account } from "../../db/entities/account.ts";
import { Subscription } from "../../db/entities/subscription.ts";
import { transaction } from "../../db/transaction.ts";
import { scopes } from "../../core/model/principal.ts";
import { widgetBody } from "../../core/model/widget.ts";
import { hashPassword } from "../../core/passwords.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { actAs } from "../../core/services/act-as.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { createApiKey } from "../../core/services/accounts/api-keys.ts";
import { upsertContact } from "../../core/services/contacts/contact-upserts.ts";
import {
  createSubscription,
  listSigningSecrets,
  secretContext,
  updateSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import { createMember } from "../../core/services/accounts/users.ts";
import { createWidget } from "../../core/services/widgets/widgets.ts";
import { seedClinic } from "./demo-clinic.ts";
import { generateReadablePassword } from "../../cli/readable-password.ts";

/** Email of the demo account's admin. */
export const demoEmail = "admin@example.com";

/** The name of every key that the launcher issues. */
export const demoKeyName = "Demo key";

/**
 * Path of the example receiver for the demo account's events. The path identifies its subscription.
 */
const receiverPath = "/hook";
const receiverForm = new RegExp(`^http://127\\.0\\.0\\.1:\\d+${receiverPath}(\\?.*)?$`);

const contacts = [
  { name: "Ada Lovelace", email: "ada@example.com", phone: "12025550143" },
  { name: "Benito García", email: "benito@example.com", phone: "525555550117" },
];

/** Web chat of the shop at `/demo`. */
const demoWidget = widgetBody.parse({
  name: "Demo shop",
  settings: {
    greeting: { is_on: true, delay_seconds: 3 },
    texts: {
      en: { title: "Garden Street", greeting: "Hello! Can we help you find something?" },
      es: { title: "Garden Street", greeting: "¡Hola! ¿Te ayudamos a encontrar algo?" },
      pt: { title: "Garden Street", greeting: "Olá! Podemos ajudar a encontrar algo?" },
    },
    lets_visitor_erase: true,
  },
});

/** The new demo account. */
export interface DemoAccount {
  accountId: number;
  apiKey: string;
  admin: { email: string; password: string };
}

/**
 * Fills an empty database in one transaction. It creates the account "Demo" with an admin, two
 * contacts, a clinic with an AI agent, a widget of web chat, an API key with all scopes, and a
 * subscription. The subscription sends every event to the example receiver.
 * @param receiverUrl origin of the receiver
 * @returns null, without a change, where an account exists
 */
export async function seedDemo(
  dataSource: DataSource,
  secretBox: SecretBox,
  receiverUrl: string,
): Promise<DemoAccount | null> {
  if ((await dataSource.manager.count(Account)) > 0) return null;
  const password = generateReadablePassword();
  const passwordHash = await hashPassword(password);
  const actor = { type: "system", accountId: 0 } as const;
  return await transaction(dataSource, { actor }, async (tx) => {
    const account = { name: "Demo", timeZone: "UTC", locale: "en" };
    const accountId = await createAccount(tx, account);
    const inAccount = actAs(tx, "system", accountId);
    const admin = { email: demoEmail, name: "Demo admin", passwordHash, role: "admin" as const };
    await createMember(inAccount, admin);
    // Created before the subscription, so that these contacts send no webhooks.
    for (const contact of contacts) await upsertContact(inAccount, contact);
    await seedClinic(inAccount);
    await createWidget(inAccount, secretBox, demoWidget);
    const key = { name: demoKeyName, scopes: [...scopes], expiresAt: null };
    const { key: apiKey } = await createApiKey(inAccount, key);
    const url = receiverUrl + receiverPath;
    await createSubscription(inAccount, secretBox, {
      name: "Example receiver",
      url,
      events: ["*"],
    });
    return { accountId, apiKey, admin: { email: demoEmail, password } };
  });
}

/**
 * Points the account's subscriptions to the present URL of the example receiver, where they still
 * have an earlier one.
 * @returns the secrets that sign these webhooks, for the receiver
 */
export async function connectReceiver(
  dataSource: DataSource,
  secretBox: SecretBox,
  { accountId, receiverUrl }: { accountId: number; receiverUrl: string },
): Promise<string[]> {
  const actor = { type: "system", accountId } as const;
  return await transaction(dataSource, { actor }, async (tx) => {
    const all = await tx.manager.findBy(Subscription, { accountId });
    const ours = all.filter(({ url, state }) => state !== "deleted" && receiverForm.test(url));
    for (const { id, url } of ours) {
      const present = url.replace(receiverForm, `${receiverUrl}${receiverPath}$1`);
      if (url !== present) await updateSubscription(tx, id, { url: present });
    }
    const sealed = await listSigningSecrets(
      tx,
      ours.map(({ id }) => id),
    );
    return sealed.map((secret) =>
      secretBox.open(secret.sealed, secretContext(accountId, secret.subscriptionId)),
    );
  });
}
