import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createGraph, type Graph } from "../../../activities/channels/graph.ts";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import type { MediaWork } from "../../../activities/media/port.ts";
import { createSendMessage } from "../../../activities/send-message.ts";
import { createUploadFile } from "../../../activities/upload-file.ts";
import { createSyncTemplates } from "../../../activities/sync-templates.ts";
import { createLog } from "../../../core/log.ts";
import { inboxSendBody, type MessageError } from "../../../core/model/message.ts";
import type { Principal } from "../../../core/model/principal.ts";
import type { SendMessageInput, SendOutcome } from "../../../core/model/workflow/sending.ts";
import type { SyncTemplatesOutcome } from "../../../core/model/workflow/template-sync.ts";
import { sendMessage } from "../../../core/services/conversations/messages.ts";
import { transaction } from "../../../db/transaction.ts";
import { metaAccounts, metaCustomers } from "../../../dev/stand-in/meta-accounts.ts";
import type {
  MetaAccount,
  MetaCustomer,
  MetaNetwork,
} from "../../../dev/stand-in/meta-accounts.ts";
import type { MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { addressOf } from "../../../dev/stand-in/meta-world.ts";
import { startChannelFixture, type ChannelFixture } from "../../api/channels/channel-fixture.ts";
import { createTestAccount, testSecretBox } from "../../support/accounts.ts";
import type { TestAccount } from "../../support/accounts.ts";
import { runActivity } from "../../support/activity.ts";
import { eventually } from "../../support/eventually.ts";
import { createMediaFolder, noMedia } from "../../support/media.ts";
import { takeRun } from "../../support/templates.ts";
import { startMetaChannels } from "../../support/meta-channel.ts";

/** A customer who has written to a connected channel, with the stand-in that plays the network. */
export interface TestTalk {
  account: TestAccount;
  standIn: MetaStandIn;
  channelAccountId: number;
  conversationId: number;
  activities: ReturnType<typeof createSendMessage> & ReturnType<typeof createUploadFile>;
  /** Queues a message, as a program would unless `actor` says otherwise. */
  queue(body: string | object, actor?: Principal): Promise<SendMessageInput>;
  /** One hand-over. */
  step(this: void, input: SendMessageInput): Promise<SendOutcome>;
  /** Gives the file of a message to the network. */
  giveFile(this: void, input: SendMessageInput): Promise<SendOutcome>;
  /** Hands over as the workflow does, with waits of no length, until the message waits no more. */
  run(input: SendMessageInput): Promise<SendOutcome>;
  read(input: SendMessageInput): Promise<SentRow>;
  /** Bodies that reached the network, oldest first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies by their documented shape
  bodies(): any[];
  /** Lets webhooks arrive and applies them. */
  settle(): Promise<void>;
  /** Runs the requested read of the templates. @param isLast no further try follows */
  readTemplates(isLast?: boolean): Promise<SyncTemplatesOutcome>;
  /** Moves a hand-over in flight so far into the past that it must have ended. */
  outlast(input: SendMessageInput): Promise<void>;
  /** Moves the customer's last message into the past. */
  age(hours: number): Promise<void>;
}

/** Columns that tell how a message stands. */
export interface SentRow {
  id: number;
  status: string;
  error: MessageError | null;
  tries: number;
  in_flight_since: Date | null;
  next_try_at: Date | null;
  held_at: Date | null;
  provider_ids: string | null;
}

/** A fixture whose channels of Meta send to stand-ins. */
export interface SendingFixture extends ChannelFixture {
  talk(network: MetaNetwork, options?: TalkOptions): Promise<TestTalk>;
}

/** Parts of a talk that a test chooses. */
export interface TalkOptions {
  customer?: MetaCustomer;
  /** Limit of a call of the Graph API, in milliseconds. */
  timeoutMs?: number;
  /** Time for which each call waits for its connection, in milliseconds. */
  queueMs?: number;
  account?: MetaAccount;
  /** Storage and downloads of files. */
  media?: MediaWork;
}

/** Starts the fixture. @param environment settings of the API */
export async function startSendingFixture(
  environment: Record<string, string> = {},
): Promise<SendingFixture> {
  const fixture = await startChannelFixture(environment);
  return {
    ...fixture,
    talk: async (network, options) => await openTalk(fixture, network, options),
  };
}

async function openTalk(
  fixture: ChannelFixture,
  network: MetaNetwork,
  {
    customer = metaCustomers[network],
    timeoutMs,
    queueMs,
    account: given,
    media = noMedia,
  }: TalkOptions = {},
): Promise<TestTalk> {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource);
  const meta = given ?? metaAccounts.find((one) => one.network === network);
  if (meta === undefined) throw new Error(network);
  const { accountId, apiKeyId } = account;
  const channels = await startMetaChannels(dataSource, fixture.api.url, accountId, [meta]);
  const { standIn } = channels;
  const channelAccountId = channels.ids[0] ?? 0;
  const urls = { graphUrl: standIn.url, instagramUrl: standIn.url };
  const { call, close } = createGraph({ ...urls, version: "v26.0" });
  onTestFinished(async () => {
    await standIn.close();
    await close();
  });
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const queued: Graph["call"] = async (one) => {
    if (queueMs !== undefined) await sleep(queueMs);
    return await call({ ...one, ...limit });
  };
  const deps = {
    dataSource,
    log: createLog("worker", "silent"),
    secretBox: testSecretBox,
    graph: { close, call: queued },
    media,
    sendPace: createSendPace(),
    publicUrl: fixture.api.url,
  } as ActivityDeps;
  const activities = { ...createSendMessage(deps), ...createUploadFile(deps) };
  const templates = createSyncTemplates(deps);
  await standIn.receive(network, { kind: "text", text: "Hola" }, customer);
  await standIn.idle();
  await fixture.drain();
  const [conversation] = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE channel_account_id = ? AND customer_external_id = ?",
    [channelAccountId, addressOf(customer)],
  );
  const conversationId = Number(conversation?.id);
  const program: Principal = { type: "api_key", accountId, apiKeyId, scopes: [] };
  const giveFile = async (input: SendMessageInput) =>
    await runActivity(() => activities.uploadToChannel(input));
  const step = async (input: SendMessageInput) => await activities.sendToChannel(input);
  return {
    account,
    standIn,
    channelAccountId,
    conversationId,
    activities,
    step,
    giveFile,
    async queue(body, actor = program) {
      const parsed = inboxSendBody.parse(typeof body === "string" ? { content: body } : body);
      const { row } = await transaction(dataSource, { actor }, (tx) =>
        sendMessage(tx, conversationId, parsed),
      );
      return { accountId, messageId: row.id };
    },
    async run(input) {
      for (let n = 0; n < 20; n += 1) {
        const outcome = await step(input);
        if (outcome.state === "upload") await giveFile(input);
        else if (outcome.state !== "waiting") return outcome;
      }
      throw new Error("The message waits for ever.");
    },
    async read({ messageId }) {
      const [row] = await fixture.query<SentRow>(
        `SELECT id, status, error, tries, in_flight_since, next_try_at, held_at,
                (SELECT GROUP_CONCAT(provider_id) FROM message_provider_ids p
                  WHERE p.message_id = m.id) AS provider_ids
           FROM messages m WHERE id = ?`,
        [messageId],
      );
      if (row === undefined) throw new Error("no such message");
      return row;
    },
    async readTemplates(isLast = true) {
      const run = await takeRun(dataSource, accountId);
      return await templates.syncTemplates({ ...run, isLast });
    },
    bodies: () => standIn.calls().map(({ body }) => body),
    async settle() {
      await standIn.idle();
      await fixture.drain();
      await eventually(async () => {
        const sql = "SELECT id FROM channel_items WHERE account_id = ? AND state = 'pending'";
        if ((await fixture.query(sql, [accountId])).length > 0) throw new Error("still pending");
      });
    },
    async outlast({ messageId }) {
      await fixture.query(
        "UPDATE messages SET in_flight_since = in_flight_since - INTERVAL 1 MINUTE WHERE id = ?",
        [messageId],
      );
    },
    async age(hours) {
      await fixture.query(
        "UPDATE conversations SET last_customer_message_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE id = ?",
        [hours, conversationId],
      );
    },
  };
}

/** A fixture whose files are in a folder of its own, which goes with the fixture. */
export async function startFileSendingFixture() {
  const { folder, stop } = await createMediaFolder();
  const sending = await startSendingFixture({ MEDIA_DIR: folder });
  return {
    ...sending,
    folder,
    async stop() {
      await sending.stop();
      await stop();
    },
  };
}
