import type { Activities } from "../../../activities/index.ts";
import { createGraph } from "../../../activities/channels/graph.ts";
import type { MediaWork } from "../../../activities/media/port.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import type { FetchMediaOutcome } from "../../../core/model/workflow/media.ts";
import { channelAppContext } from "../../../core/services/channels/channel-apps.ts";
import { channelTokenContext } from "../../../core/services/channels/channel-tokens.ts";
import type { MessageMedia } from "../../../db/entities/message-media.ts";
import { MessageMedia as MediaEntity } from "../../../db/entities/message-media.ts";
import { metaAccounts } from "../../../dev/stand-in/meta-accounts.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { testSecretBox } from "../../support/accounts.ts";
import { runActivity } from "../../support/activity.ts";
import { createTestActivities } from "../../support/activity-deps.ts";
import { createMediaFolder, insertMedia } from "../../support/media.ts";
import { createAttemptFixture, type AttemptFixture } from "../attempt-fixture.ts";

const app = { id: "771", secret: "app-secret" };

/** Activities on a database, with a stand-in of Meta and a storage of their own. */
export interface FetchMediaFixture extends AttemptFixture {
  meta: MetaStandIn;
  /** Folder of the storage. */
  folder: string;
  /** Number of WhatsApp with a token. */
  channelAccountId: number;
  /** Row of a file of a message that does not exist. @returns its id */
  addRow(columns?: Record<string, unknown>): Promise<number>;
  readRow(id: number): Promise<MessageMedia>;
  /** One try. `given` replaces parts of the work with files. */
  fetch(id: number, given?: Partial<MediaWork>): Promise<FetchMediaOutcome>;
  activitiesWith(given: Partial<MediaWork>): Activities;
}

/** Starts the fixture. */
export async function startFetchMediaFixture(): Promise<FetchMediaFixture> {
  const bare = await createAttemptFixture();
  const { dataSource } = bare.database;
  const { accountId } = bare.account;
  const meta = await startMetaStandIn({ app });
  const { folder, stop } = await createMediaFolder();
  const graph = createGraph({ graphUrl: meta.url, instagramUrl: meta.url, version: "v26.0" });
  const media = openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: 30 },
    graphUrl: meta.url,
    policy: { allowPrivate: false, ownHosts: [] },
    timeoutMs: 6_000,
  });
  const channelAccountId = await connectNumber(bare, accountId);
  const activitiesWith: FetchMediaFixture["activitiesWith"] = (given) =>
    createTestActivities({ ...bare.deps, graph, media: { ...media, ...given } });
  return {
    ...bare,
    deps: { ...bare.deps, graph, media },
    meta,
    folder,
    channelAccountId,
    activitiesWith,
    addRow: async (columns = {}) =>
      await insertMedia(dataSource, {
        account_id: accountId,
        channel_account_id: channelAccountId,
        ...columns,
      }),
    readRow: async (id) => await dataSource.manager.findOneByOrFail(MediaEntity, { id }),
    fetch: async (mediaId, given = {}) =>
      await runActivity(() => activitiesWith(given).fetchMedia({ accountId, mediaId })),
    async stop() {
      await graph.close();
      await meta.close();
      await stop();
      await bare.stop();
    },
  };
}

/** A number with its app and token, as connecting leaves it. */
async function connectNumber({ database }: AttemptFixture, accountId: number): Promise<number> {
  const insert = async (sql: string, values: unknown[]): Promise<number> =>
    (await database.dataSource.query<{ insertId: number }>(sql, values)).insertId;
  const appId = await insert(
    "INSERT INTO channel_apps SET account_id = ?, app_id = ?, slug = ?, created_at = NOW(3)",
    [accountId, app.id, "0".repeat(26)],
  );
  const sealedSecret = testSecretBox.seal(app.secret, channelAppContext(accountId, appId));
  await insert(
    `INSERT INTO channel_app_secrets SET account_id = ?, channel_app_id = ?, kind = 'app',
            sealed = ?, key_id = 'test'`,
    [accountId, appId, sealedSecret],
  );
  const [number] = metaAccounts;
  const id = await insert(
    `INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', external_id = ?,
            name = 'n', driver = 'whatsapp_cloud', channel_app_id = ?`,
    [accountId, number?.id, appId],
  );
  const sealedToken = testSecretBox.seal(number?.token ?? "", channelTokenContext(accountId, id));
  await insert(
    `INSERT INTO channel_account_tokens SET account_id = ?, channel_account_id = ?, sealed = ?,
            key_id = 'test'`,
    [accountId, id, sealedToken],
  );
  return id;
}
