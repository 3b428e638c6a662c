import { join } from "node:path";
import type { DataSource } from "typeorm";
import { messageOf } from "../../core/errors.ts";
import { createSecretBox, type SecretBox } from "../../core/secrets.ts";
import { checkSecretKey, checkServer } from "../../db/boot-checks.ts";
import { openDatabase } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { openDemoAccess, type DemoAccess } from "./demo-access.ts";
import { partLog } from "../local.ts";
import { openSecretStore } from "../receiver/receiver-secrets.ts";
import { connectReceiver, seedDemo } from "./seed.ts";
import type { UpState } from "./up-state.ts";

/** Input of the preparation of the database. */
export interface PrepareOptions {
  databaseUrl: string;
  secretKey: string;
  folder: string;
  receiverUrl: string;
  /** State that the last start printed. */
  known: UpState | null;
}

/**
 * Brings the schema up to date, fills an empty database, and gives the example receiver its
 * secrets.
 * @returns login and key; null where the database has no demo account
 */
export async function prepareDatabase(options: PrepareOptions): Promise<DemoAccess | null> {
  const log = partLog("database");
  const secretBox = createSecretBox(options.secretKey);
  const dataSource = await connect(options.databaseUrl);
  for (const warning of await checkServer(dataSource, false)) log(warning);
  const ran = await migrate(dataSource);
  log(ran.length === 0 ? "the schema is up to date" : `schema: ran ${ran.join(", ")}`);
  await requireSecretKey(dataSource, secretBox, options.folder);
  const access = await enterDemo(dataSource, secretBox, options);
  if (access === null) log("no demo account here: use the logins and keys of your own accounts");
  for (const note of access?.notes ?? []) log(note);
  await dataSource.destroy();
  return access;
}

async function enterDemo(
  dataSource: DataSource,
  secretBox: SecretBox,
  { folder, receiverUrl, known }: PrepareOptions,
): Promise<DemoAccess | null> {
  const seeded = await seedDemo(dataSource, secretBox, receiverUrl);
  const access =
    seeded === null
      ? await openDemoAccess(dataSource, known)
      : { ...seeded, notes: ["the demo account is made"] };
  if (access === null) return null;
  const { accountId } = access;
  const store = openSecretStore([], receiverSecretsFile(folder));
  const secrets = await connectReceiver(dataSource, secretBox, { accountId, receiverUrl });
  for (const secret of secrets) store.add(secret);
  return access;
}

/** Path of the file in which the example receiver stores its secrets. */
export function receiverSecretsFile(folder: string): string {
  return join(folder, "receiver.secrets");
}

async function requireSecretKey(
  dataSource: DataSource,
  secretBox: SecretBox,
  folder: string,
): Promise<void> {
  try {
    await checkSecretKey(dataSource, secretBox);
  } catch (error) {
    const path = join(folder, "secret.key");
    throw new Error(
      `${messageOf(error)} Put back the ${path} that belongs to it, or set SECRET_KEY.`,
      {
        cause: error,
      },
    );
  }
}

async function connect(url: string): Promise<DataSource> {
  try {
    return await openDatabase({ url, poolSize: 4 });
  } catch (error) {
    const { host, pathname } = new URL(url);
    throw new Error(
      `The database ${pathname.slice(1)} at ${host} cannot be opened: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
