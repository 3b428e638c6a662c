import type { DataSource, EntityManager } from "typeorm";
import { providerCreateBody } from "../../core/model/agent-setup.ts";
import { createSecretBox } from "../../core/secrets.ts";
import { createProvider } from "../../core/services/agent/providers.ts";
import { receiveCustomerMessage } from "../../core/services/conversations/customer-messages.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { AgentProvider } from "../../db/entities/agent.ts";
import { Service } from "../../db/entities/resource.ts";
import { createDataSource } from "../../db/data-source.ts";
import { ChannelAccount } from "../../db/entities/channel-account.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import type { Installation } from "./installation.ts";

/** A customer of the installation's first account, in conversation with the agent. */
export interface AgentTalk {
  conversationId: number;
  say(text: string): Promise<void>;
  /** A person takes over. @returns the state at the moment of the pause's commit */
  pause(): Promise<TalkBook>;
}

/** State of a conversation with the agent. */
export interface TalkBook {
  /** Turns without an outcome, and messages that are owed an answer. */
  open: number;
  /** Outcomes of its turns, oldest first. */
  outcomes: string;
  appointments: number;
  replies: number;
  /** Replies that confirm a booking. */
  confirmations: number;
  untold: number;
  status: string;
  /** Id of the newest reply, and of the newest call of a tool; 0 where there is none. */
  newestReply: number;
  newestDeed: number;
  /** Duration of the newest turn in ms; null while it is open, or where there is none. */
  turnMs: number | null;
}

/** Customers who write past every proxy, so that a fault meets the worker alone. */
export interface AgentTalks {
  /** A new customer writes, by default to ask for an appointment. */
  open(text?: string): Promise<AgentTalk>;
  /** Lets this model serve alone, as if it had never failed. */
  serveBy(url: string, model: string): Promise<void>;
  /** A service that customers can book. */
  findServiceId(): Promise<number>;
  read(conversationId: number): Promise<TalkBook>;
  stop(): Promise<void>;
}

/** Fills the first account with a clinic whose agent books. */
export async function startAgentTalks({
  databaseUrl,
  accounts: [account],
  seed,
}: Pick<Installation, "databaseUrl" | "accounts" | "seed">): Promise<AgentTalks> {
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 4 }).initialize();
  const accountId = account?.accountId ?? 0;
  const actor = systemOf(accountId);
  const run = async <T>(work: (tx: Tx) => Promise<T>) => await transaction(dataSource, actor, work);
  await run((tx) => seedClinic(tx));
  let customers = 0;

  async function say(from: string, content: string): Promise<number> {
    return await run(async (tx) => {
      const where = { accountId, channel: "whatsapp" as const };
      const channel = await tx.manager.findOneByOrFail(ChannelAccount, where);
      const text = { type: "text" as const, content, media: null, providerId: null, name: null };
      const given = { ...text, channelAccountId: channel.id, from };
      return (await receiveCustomerMessage(tx, given)).row.conversationId;
    });
  }

  return {
    async open(text = "cita para consulta el jueves con cualquiera") {
      customers += 1;
      const from = String(52_000_000_000 + customers);
      const conversationId = await say(from, text);
      return {
        conversationId,
        say: async (content) => void (await say(from, content)),
        pause: async () =>
          await run(async (tx) => {
            await setBot(tx, conversationId, { enabled: false });
            // The lock of the conversation is held, so nothing of the agent commits in between.
            return await readTalk(tx.manager, conversationId);
          }),
      };
    },
    async serveBy(url, model) {
      await run(async (tx) => {
        await tx.manager.delete(AgentProvider, { accountId });
        const given = { kind: "openai_compatible", base_url: url, model, api_key: "faults" };
        const box = createSecretBox(seed.secretKey);
        await createProvider(tx, box, providerCreateBody.parse(given));
      });
    },
    findServiceId: async () =>
      await run(async (tx) => {
        const where = { accountId };
        return (await tx.manager.findOneOrFail(Service, { where, order: { id: "ASC" } })).id;
      }),
    read: async (conversationId) => await readTalk(dataSource, conversationId),
    stop: async () => await dataSource.destroy(),
  };
}

async function readTalk(
  from: DataSource | EntityManager,
  conversationId: number,
): Promise<TalkBook> {
  const of = "conversation_id = c.id";
  const byAgent = `FROM messages WHERE ${of} AND sender_type = 'ai'`;
  const [row] = await from.query<TalkBook[]>(
    `SELECT c.status,
       (SELECT COUNT(*) FROM agent_turns WHERE ${of} AND outcome IS NULL) +
       (SELECT COUNT(*) FROM agent_conversations WHERE ${of} AND owed_since IS NOT NULL) AS open,
       (SELECT GROUP_CONCAT(outcome ORDER BY id) FROM agent_turns WHERE ${of}) AS outcomes,
       (SELECT COUNT(*) FROM appointments WHERE ${of} AND status = 'confirmed') AS appointments,
       (SELECT COUNT(*) ${byAgent}) AS replies,
       (SELECT COUNT(*) ${byAgent} AND content LIKE '%Cita confirmada%') AS confirmations,
       (SELECT COUNT(*) FROM agent_tool_calls WHERE ${of} AND untold) AS untold,
       (SELECT COALESCE(MAX(id), 0) ${byAgent}) AS newestReply,
       (SELECT COALESCE(MAX(id), 0) FROM agent_tool_calls WHERE ${of}) AS newestDeed,
       (SELECT TIMESTAMPDIFF(MICROSECOND, created_at, finished_at) / 1000 FROM agent_turns
         WHERE ${of} ORDER BY id DESC LIMIT 1) AS turnMs
       FROM conversations c WHERE c.id = ?`,
    [conversationId],
  );
  if (row === undefined) throw new Error(`There is no conversation ${conversationId}.`);
  const counts = ["open", "appointments", "replies", "confirmations", "untold"] as const;
  for (const name of [...counts, "newestReply", "newestDeed"] as const)
    row[name] = Number(row[name]);
  if (row.turnMs !== null) row.turnMs = Number(row.turnMs);
  return row;
}
