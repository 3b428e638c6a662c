import type { DataSource } from "typeorm";
import { findCalledApp, type CalledApp } from "../../core/services/channels/channel-apps.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";

/** Time for which a read app is used again. A disabled account takes webhooks for so long. */
const freshMs = 5_000;
const maxApps = 1_000;

/** Apps by their slug, read from the database every few seconds. */
export interface CalledApps {
  /** The app, as it was read within the last 5 s. Null if the slug is unknown. */
  find(slug: string): Promise<CalledApp | null>;
  /** The app as it is now, for a signature that a new secret may have made. */
  findAnew(slug: string): Promise<CalledApp | null>;
}

/** Creates the apps of one process. */
export function createCalledApps(
  dataSource: DataSource,
  nowMs: () => number = () => performance.now(),
): CalledApps {
  const apps = new Map<string, { app: CalledApp; readAt: number }>();

  async function findAnew(slug: string): Promise<CalledApp | null> {
    const readAt = nowMs();
    const app = await oneStatement(dataSource, systemOf(), (tx) => findCalledApp(tx, slug));
    apps.delete(slug);
    if (app === null) return null;
    apps.set(slug, { app, readAt });
    const [first] = apps.keys();
    if (apps.size > maxApps && first !== undefined) apps.delete(first);
    return app;
  }

  return {
    async find(slug) {
      const known = apps.get(slug);
      if (known !== undefined && nowMs() - known.readAt < freshMs) return known.app;
      return await findAnew(slug);
    },
    findAnew,
  };
}
