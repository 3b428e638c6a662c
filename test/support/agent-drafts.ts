import type { DataSource } from "typeorm";
import type { DraftProposal } from "../../core/model/agent-draft.ts";
import { insertRow } from "../../core/services/sql.ts";
import { AgentDraft } from "../../db/entities/agent-draft.ts";
import { AgentToolCall, AgentTurn } from "../../db/entities/agent-turn.ts";
import type { Message } from "../../db/entities/message.ts";
import { asSystem } from "./accounts.ts";

/** A change that a draft proposes, with the arguments of its tool. */
export type GivenProposal = Pick<DraftProposal, "tool" | "words"> & { input: unknown };

/** Adds an open draft that answers a customer's message. @returns its id. */
export async function addAgentDraft(
  dataSource: DataSource,
  { accountId, conversationId, contactId, id: watermark }: Message,
  { text, proposals = [] }: { text: string; proposals?: readonly GivenProposal[] },
): Promise<number> {
  const ids = { accountId, conversationId, contactId };
  return await asSystem(dataSource, accountId, async (tx) => {
    const turnId = await insertRow(tx, AgentTurn, {
      ...ids,
      epoch: 0,
      watermark,
      settingsNumber: 1,
      mode: "draft",
      engine: "basic",
      outcome: "drafted",
      createdAt: tx.now,
      finishedAt: tx.now,
    });
    const stored: DraftProposal[] = [];
    for (const [position, { tool, words, input }] of proposals.entries()) {
      const at = { turnId, seq: 1, position, callId: `c${position}`, tool, input };
      const id = await insertRow(tx, AgentToolCall, { ...ids, ...at, code: "proposed" });
      stored.push({ id, tool, words });
    }
    return await insertRow(tx, AgentDraft, {
      ...ids,
      turnId,
      openConversationId: conversationId,
      source: "automatic",
      text,
      proposals: stored,
      state: "open",
    });
  });
}
