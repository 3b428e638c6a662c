import { loadConfig } from "../core/config.ts";
import { createSecretBox } from "../core/secrets.ts";
import { openInstallation } from "../db/open-installation.ts";

type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** Runs `work` on the database of this installation, and closes the connections after it. */
export async function withInstallation(
  work: (dataSource: Installation["dataSource"]) => Promise<void>,
) {
  const config = loadConfig();
  const secretBox = createSecretBox(config.secretKey);
  const database = { url: config.databaseUrl, poolSize: 2 };
  const { dataSource } = await openInstallation({ ...database, strict: false, secretBox });
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
