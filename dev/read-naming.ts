import { namingOf, type TemporalNaming } from "../core/model/installation.ts";
import { readInstallation } from "../db/boot-checks.ts";
import { openDatabase } from "../db/data-source.ts";

/**
 * Reads the names in Temporal that belong to the installation of a database. One of our processes
 * must have run on the database before.
 */
export async function readNaming(databaseUrl: string): Promise<TemporalNaming> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return namingOf(await readInstallation(dataSource));
  } finally {
    await dataSource.destroy();
  }
}
