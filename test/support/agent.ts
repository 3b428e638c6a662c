import type { DataSource } from "typeorm";
import { StepError, type ModelPort } from "../../core/agent/step.ts";
import { agentSettings, type AgentSettings, type TurnMode } from "../../core/model/agent.ts";
import type { ToolResult } from "../../core/agent/tools.ts";
import type { RestChannel } from "../../core/model/channels.ts";
import { createAgentMessage } from "../../core/services/conversations/agent-messages.ts";
import { runTool, type ToolOutcome } from "../../core/services/agent/tools/run-tool.ts";
import { insertRow } from "../../core/services/sql.ts";
import { AgentToolCall, AgentTurn } from "../../db/entities/agent-turn.ts";
import type { Tx } from "../../db/transaction.ts";
import { asSystem } from "./accounts.ts";
import { freshPhone } from "./contact-load.ts";
import { receive } from "./conversations.ts";

/** For work that has to do with no model: every provider is unreachable. */
export const noModels = (): ModelPort => ({
  step: async () => await Promise.reject(new StepError("unavailable")),
});

/** A customer in conversation with the agent. */
export interface AgentTalk {
  conversationId: number;
  contactId: number;
  phone: string;
  /** The open turn, as its row was inserted. */
  turn: AgentTurn;
  /** The customer writes, and the agent begins a turn that answers it. */
  write: (text: string) => Promise<void>;
  /** The agent replies, which ends its turn. */
  reply: (text?: string) => Promise<void>;
  /** Calls a tool as the next call of the turn. */
  call: (tool: string, input?: unknown) => Promise<ToolOutcome>;
  /** The same, for a call that is not paused. */
  result: (tool: string, input?: unknown) => Promise<ToolResult>;
  /** Calls of the conversation so far. */
  calls: () => Promise<AgentToolCall[]>;
}

/** Lets a customer write, and begins a turn of the agent. */
export async function createAgentTalk(
  dataSource: DataSource,
  accountId: number,
  given: {
    text?: string;
    name?: string | null;
    /** The customer's id on the channel. */
    phone?: string;
    channel?: RestChannel;
    mode?: TurnMode;
    settings?: Partial<AgentSettings>;
  } = {},
): Promise<AgentTalk> {
  const { text = "Hola", name = "Ana Torres", phone = freshPhone(), mode = "live" } = given;
  const { channel = "whatsapp" } = given;
  const settings = { ...agentSettings.parse({}), ...given.settings };
  const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    await asSystem(dataSource, accountId, work);
  const say = async (content: string) =>
    (await receive(dataSource, accountId, { channel, from: phone, name, content })).row;
  const begin = async (watermark: number) => {
    return await run(async (tx) => {
      const turn = tx.manager.create(AgentTurn, {
        accountId,
        conversationId: first.conversationId,
        contactId: first.contactId,
        openConversationId: mode === "live" ? first.conversationId : null,
        epoch: 0,
        watermark,
        settingsNumber: 1,
        mode,
        engine: "basic",
        outcome: null,
        cutAt: null,
        createdAt: tx.now,
      });
      turn.id = await insertRow(tx, AgentTurn, turn);
      return turn;
    });
  };
  const end = async () => {
    await dataSource.query(
      "UPDATE agent_turns SET outcome = 'replied', open_conversation_id = NULL WHERE id = ?",
      [talk.turn.id],
    );
  };
  const first = await say(text);
  let position = 0;
  const talk: AgentTalk = {
    conversationId: first.conversationId,
    contactId: first.contactId,
    phone,
    turn: await begin(first.id),
    write: async (more) => {
      const { id } = await say(more);
      await end();
      talk.turn = await begin(id);
    },
    reply: async (content = "Claro") => {
      const { conversationId, turn } = talk;
      const { epoch, watermark } = turn;
      const reply = { conversationId, epoch, watermark, content };
      await run((tx) => createAgentMessage(tx, reply));
      await end();
    },
    call: async (tool, input = {}) => {
      position += 1;
      const call = { callId: `c${position}`, tool, input };
      const at = { turn: talk.turn, seq: 1, position, call, settings };
      return await run((tx) => runTool(tx, at));
    },
    result: async (tool, input) => {
      const outcome = await talk.call(tool, input);
      if (outcome.state === "paused") throw new Error("The call was paused.");
      return outcome.result;
    },
    calls: async () =>
      await run((tx) =>
        tx.manager.find(AgentToolCall, {
          where: { accountId, conversationId: first.conversationId },
          order: { id: "ASC" },
        }),
      ),
  };
  return talk;
}
