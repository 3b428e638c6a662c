import { namingOf, type TemporalNaming } from "../core/model/installation.ts";
import { readInstallation } from "../db/boot-checks.ts";
import { openDatabase } from "../db/data-source.ts";

/** How the installation of a database names things in Temporal. A process of ours has run on it. */
export async function readNaming(databaseUrl: string): Promise<TemporalNaming> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return namingOf(await readInstallation(dataSource));
  } finally {
    await dataSource.destroy();
  }
}
