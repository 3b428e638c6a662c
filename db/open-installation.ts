import type { DataSource } from "typeorm";
import type { SecretBox } from "../core/secrets.ts";
import { checkSecretKey, checkServer, requireSchema } from "./boot-checks.ts";
import { openDatabase, type DatabaseOptions } from "./data-source.ts";

/**
 * Opens the database of an installation and checks that a process may work on it: server settings,
 * schema, secret key.
 * @returns the pool, and warnings for the log.
 */
export async function openInstallation(
  options: DatabaseOptions & { strict: boolean; secretBox: SecretBox },
): Promise<{ dataSource: DataSource; warnings: string[] }> {
  const dataSource = await openDatabase(options);
  try {
    const warnings = await checkServer(dataSource, options.strict);
    await requireSchema(dataSource);
    await checkSecretKey(dataSource, options.secretBox);
    return { dataSource, warnings };
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}
