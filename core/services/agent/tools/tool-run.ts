import type { AgentTurn } from "../../../../db/entities/agent-turn.ts";
import type { Conversation } from "../../../../db/entities/conversation.ts";
import type { Tx } from "../../../../db/transaction.ts";
import type { ToolInput, ToolName, ToolResults } from "../../../agent/tools.ts";
import type { AgentSettings } from "../../../model/agent.ts";
import type { Locale } from "../../../model/user.ts";

/** A call in its locked conversation, whose fences were checked. */
export interface ToolRun {
  /** Acts as the agent. */
  tx: Tx;
  turn: AgentTurn;
  /** Locked, and its contact before it. */
  conversation: Conversation;
  settings: AgentSettings;
  /** Language of the conversation. */
  language: Locale;
  /** Zone of the account. Days and times of calls are read in it. */
  timeZone: string;
}

/** Outcome of a tool that succeeded. */
export interface ToolEffect<Name extends ToolName> {
  result: ToolResults[Name];
  /** The appointment that was booked, moved or cancelled, of which the customer must be told. */
  appointmentId?: number;
}

/** A tool. @throws ToolRefused, or an AppError of a service. */
export type Tool<Name extends ToolName> = (
  run: ToolRun,
  input: ToolInput<Name>,
) => Promise<ToolEffect<Name>>;
