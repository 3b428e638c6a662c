import { Column, Entity, Index } from "typeorm";
import type { Dialogue } from "../../core/agent/basic/dialogue.ts";
import type { StepOutput } from "../../core/agent/step.ts";
import type { ToolResult } from "../../core/agent/tools.ts";
import type { AgentEngine, TurnMode, TurnOutcome } from "../../core/model/agent.ts";
import type { Locale } from "../../core/model/user.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** One turn of the agent: a burst of the customer, and everything until the reply. */
@Entity("agent_turns")
@Index("agent_turns_open", ["openConversationId"], { unique: true })
@Index("agent_turns_conversation", ["conversationId", "id"])
@Index("agent_turns_account", ["accountId", "id"])
@Index("agent_turns_contact", ["contactId", "id"])
@Index("agent_turns_created", ["createdAt", "id"])
@Index("agent_turns_reopened", ["accountId", "reopened", "createdAt", "mode"])
@Index("agent_turns_time", [
  "accountId",
  "createdAt",
  "mode",
  "outcome",
  "reason",
  "engine",
  "costMicros",
  "inputTokens",
  "outputTokens",
])
export class AgentTurn {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  /** The conversation's id while a turn is open, so that there is one at most. */
  @Ref({ nullable: true }) openConversationId: number | null;
  /** `bot_epoch` when the turn began. */
  @Int({ unsigned: true }) epoch: number;
  /** The customer's newest message that the turn answers. */
  @Ref() watermark: number;
  /** Number of the settings' version. */
  @Int({ unsigned: true }) settingsNumber: number;
  @Token(12) mode: TurnMode;
  /** The person who asked for a draft; null where the agent began by itself. */
  @Ref({ nullable: true }) requestedById: number | null;
  /** Engine of the last step. */
  @Token(20) engine: AgentEngine;
  /** Null while the turn is open. */
  @Token(16, { nullable: true }) outcome: TurnOutcome | null;
  /** Code of the reason: of a handover, a guard or a failure. */
  @Token(32, { nullable: true }) reason: string | null;
  @Int({ unsigned: true, default: 0 }) steps: number;
  @Int({ unsigned: true, default: 0 }) calls: number;
  @Int({ unsigned: true, default: 0 }) inputTokens: number;
  @Int({ unsigned: true, default: 0 }) cachedTokens: number;
  @Int({ unsigned: true, default: 0 }) outputTokens: number;
  /** Millionths of the account's currency. */
  @Int({ unsigned: true, default: 0 }) costMicros: number;
  @Ref({ nullable: true }) messageId: number | null;
  /** The customer came back within 24 h after a conversation that the agent had answered ended. */
  @Flag({ default: false }) reopened: boolean;
  /** Time of the pause that cut the turn. */
  @Moment({ nullable: true }) cutAt: Date | null;
  /** Time at which the step of a cut turn had ended. */
  @Moment({ nullable: true }) abortedAt: Date | null;
  @MomentNow() createdAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
}

/** One model call of a turn. A done step answers from its row, so a crash repeats no effect. */
@Entity("agent_steps")
@Index("agent_steps_seq", ["turnId", "seq"], { unique: true })
@Index("agent_steps_created", ["createdAt", "id"])
export class AgentStep {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() turnId: number;
  @Int({ unsigned: true }) seq: number;
  @Token(8) state: "running" | "done" | "failed";
  /** Tries at the present provider. */
  @Int({ unsigned: true, default: 0 }) tries: number;
  /** Null: the built-in agent. */
  @Ref({ nullable: true }) providerId: number | null;
  /** Null until the step is done. */
  @Json({ nullable: true }) output: StepOutput | null;
  /** Fact that the last reply missed, which the model got for another try. */
  @Column({ type: "text", nullable: true }) repair: string | null;
  @Token(32, { nullable: true }) failure: string | null;
  /** Guard that refused the reply. */
  @Token(16, { nullable: true }) guard: string | null;
  @Int({ unsigned: true, default: 0 }) inputTokens: number;
  @Int({ unsigned: true, default: 0 }) cachedTokens: number;
  @Int({ unsigned: true, default: 0 }) outputTokens: number;
  @Int({ unsigned: true, default: 0 }) durationMs: number;
  @MomentNow() createdAt: Date;
}

/** One tool call of a turn, written in the transaction that makes its effect. */
@Entity("agent_tool_calls")
@Index("agent_tool_calls_position", ["turnId", "seq", "position"], { unique: true })
@Index("agent_tool_calls_untold", ["conversationId", "untold", "id"])
@Index("agent_tool_calls_contact", ["contactId", "createdAt"])
@Index("agent_tool_calls_created", ["createdAt", "id"])
export class AgentToolCall {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() turnId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  @Int({ unsigned: true }) seq: number;
  @Int({ unsigned: true }) position: number;
  @Token(64) callId: string;
  @Token(64) tool: string;
  /** As the model wrote it. */
  @Json({ nullable: true }) input: unknown;
  @Json({ nullable: true }) result: ToolResult | null;
  /** `ok`, or the code of the refusal. */
  @Token(32) code: string;
  /** True while the call has an effect of which the customer was not told. */
  @Flag({ default: false }) untold: boolean;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** The message that told of the effect. */
  @Ref({ nullable: true }) toldMessageId: number | null;
  @MomentNow() createdAt: Date;
}

/** State of the agent in a conversation, from turn to turn. */
@Entity("agent_conversations")
@Index("agent_conversations_conversation", ["conversationId"], { unique: true })
@Index("agent_conversations_owed", ["owedSince", "conversationId"])
export class AgentConversation {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Token(8, { nullable: true }) language: Locale | null;
  @Json({ nullable: true }) dialogue: Dialogue | null;
  /** Times that were offered last. Times are ISO 8601. */
  @Json({ nullable: true }) offers: StoredOffer[] | null;
  @Moment({ nullable: true }) offeredAt: Date | null;
  /** The customer's newest message that a reply has answered. */
  @Ref({ default: 0 }) answeredUpTo: number;
  /** Time since which the agent owes an answer. Null: none is owed. Lost runs are found by it. */
  @Moment({ nullable: true }) owedSince: Date | null;
  @MomentNow() updatedAt: Date;
}

/** An offered time, as JSON. */
export interface StoredOffer {
  ref: string;
  start: string;
  service_id: number | null;
  resource_id: number;
}
