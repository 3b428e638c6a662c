import { receiveCustomerMessage } from "../../core/services/conversations/customer-messages.ts";
import { createDataSource } from "../../db/data-source.ts";
import { ChannelAccount } from "../../db/entities/channel-account.ts";
import { systemOf, transaction, type Tx } from "../../db/transaction.ts";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import type { Installation } from "./installation.ts";

/** A customer of the installation's first account, in conversation with the agent. */
export interface AgentTalk {
  conversationId: number;
  say(text: string): Promise<void>;
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
}

/** Customers who write past every proxy, so that a fault meets the worker alone. */
export interface AgentTalks {
  open(): Promise<AgentTalk>;
  read(conversationId: number): Promise<TalkBook>;
  stop(): Promise<void>;
}

/** Fills the first account with a clinic whose agent books. */
export async function startAgentTalks({
  databaseUrl,
  accounts: [account],
}: Installation): Promise<AgentTalks> {
  const dataSource = await createDataSource({ url: databaseUrl, poolSize: 2 }).initialize();
  const actor = systemOf(account?.accountId ?? 0);
  const run = async <T>(work: (tx: Tx) => Promise<T>) => await transaction(dataSource, actor, work);
  await run((tx) => seedClinic(tx));
  let customers = 0;

  async function say(from: string, content: string): Promise<number> {
    return await run(async (tx) => {
      const { accountId } = tx.actor;
      const where = { accountId, channel: "whatsapp" as const };
      const channel = await tx.manager.findOneByOrFail(ChannelAccount, where);
      const text = { type: "text" as const, content, media: null, providerId: null, name: null };
      const given = { ...text, channelAccountId: channel.id, from };
      return (await receiveCustomerMessage(tx, given)).row.conversationId;
    });
  }

  return {
    async open() {
      customers += 1;
      const from = String(52_000_000_000 + customers);
      const conversationId = await say(from, "cita para consulta el jueves con cualquiera");
      return { conversationId, say: async (text) => void (await say(from, text)) };
    },
    async read(conversationId) {
      const of = "conversation_id = c.id";
      const [row] = await dataSource.query<TalkBook[]>(
        `SELECT c.status,
           (SELECT COUNT(*) FROM agent_turns WHERE ${of} AND outcome IS NULL) +
           (SELECT COUNT(*) FROM agent_conversations WHERE ${of} AND owed_since IS NOT NULL) AS open,
           (SELECT GROUP_CONCAT(outcome ORDER BY id) FROM agent_turns WHERE ${of}) AS outcomes,
           (SELECT COUNT(*) FROM appointments WHERE ${of} AND status = 'confirmed') AS appointments,
           (SELECT COUNT(*) FROM messages WHERE ${of} AND sender_type = 'ai') AS replies,
           (SELECT COUNT(*) FROM messages WHERE ${of} AND sender_type = 'ai'
               AND content LIKE '%Cita confirmada%') AS confirmations,
           (SELECT COUNT(*) FROM agent_tool_calls WHERE ${of} AND untold) AS untold
           FROM conversations c WHERE c.id = ?`,
        [conversationId],
      );
      if (row === undefined) throw new Error(`There is no conversation ${conversationId}.`);
      const counts = ["open", "appointments", "replies", "confirmations", "untold"] as const;
      for (const name of counts) row[name] = Number(row[name]);
      return row;
    },
    stop: async () => await dataSource.destroy(),
  };
}
