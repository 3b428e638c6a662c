import type { DataSource } from "typeorm";
import type { Installation } from "../core/model/installation.ts";
import type { SecretBox } from "../core/secrets.ts";
import { checkSecretKey, checkServer, readInstallation, requireSchema } from "./boot-checks.ts";
import { openDatabase, type DatabaseOptions } from "./data-source.ts";

/**
 * Opens the database of an installation and checks server settings, schema and secret key.
 * @returns the pool, the installation, and warnings for the log.
 */
export async function openInstallation(
  options: DatabaseOptions & { strict: boolean; secretBox: SecretBox },
): Promise<{ dataSource: DataSource; installation: Installation; warnings: string[] }> {
  const dataSource = await open(options);
  try {
    const warnings = await checkServer(dataSource, options.strict);
    await requireSchema(dataSource);
    await checkSecretKey(dataSource, options.secretBox);
    return { dataSource, installation: await readInstallation(dataSource), warnings };
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/** Adds the address to a failure, because the driver's own message does not name it. */
async function open(options: DatabaseOptions): Promise<DataSource> {
  try {
    return await openDatabase({ ...options, bounded: true });
  } catch (error) {
    const { host, pathname } = new URL(options.url);
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database ${pathname.slice(1)} at ${host} cannot be opened: ${cause}. Is DATABASE_URL right, and does MySQL run?`,
      { cause: error },
    );
  }
}
