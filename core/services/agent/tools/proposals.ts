import { AgentToolCall } from "../../../../db/entities/agent-turn.ts";
import { localTimeOf } from "../../../agent/local-time.ts";
import { isToolName } from "../../../agent/tool-input.ts";
import type { ToolAppointment, ToolResult } from "../../../agent/tools.ts";
import { optionalTools } from "../../../model/agent.ts";
import type { DraftProposal } from "../../../model/agent-draft.ts";
import type { ToolRun } from "./tool-run.ts";

/** Code of a call in the ledger that a person has not approved. */
export const proposedCode = "proposed";

/** Finds the tool among those that change something. */
export function findWritingTool(tool: string): DraftProposal["tool"] | undefined {
  return optionalTools.find((one) => one === tool);
}

/** Calls of a turn that were proposed so far, in their order. */
export async function listProposed({ tx, turn }: Pick<ToolRun, "tx" | "turn">) {
  return await tx.manager.find(AgentToolCall, {
    where: { accountId: turn.accountId, turnId: turn.id, code: proposedCode },
    order: { seq: "ASC", position: "ASC" },
  });
}

/**
 * Arguments of a proposal, with the day and time of an offered slot instead of its ref. Offers expire,
 * and the person may approve later.
 */
export function withNamedTime(
  input: unknown,
  result: ToolResult,
  timeZone: string,
): Record<string, unknown> | null {
  if (!result.ok || !isWithRef(input)) return null;
  const { slot_ref: _ref, ...rest } = input;
  const { start, service_id: serviceId, resource_id: resourceId } = result as ToolAppointment;
  const { day, minutes } = localTimeOf(new Date(start), timeZone);
  const pad = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return {
    ...rest,
    day,
    time: `${pad(minutes / 60)}:${pad(minutes % 60)}`,
    ...(serviceId === null ? {} : { service_id: serviceId }),
    resource_id: resourceId,
  };
}

function isWithRef(input: unknown): input is { slot_ref: string } & Record<string, unknown> {
  return typeof input === "object" && input !== null && "slot_ref" in input;
}

/** Words of a proposal, from what its trial returned. */
export function wordsOfProposal(
  { tool, input, result }: Pick<AgentToolCall, "tool" | "input" | "result">,
  stages: readonly { id: number; name: string }[],
): string {
  if (result === null || !isToolName(tool)) return "";
  if ("words" in result) return result.words;
  if ("email" in result) {
    const given = input as { name?: string; email?: string };
    return [given.name, given.email].filter((text) => text !== undefined).join(", ");
  }
  if ("stage_id" in result) {
    return stages.find(({ id }) => id === result.stage_id)?.name ?? "";
  }
  return (input as { text?: string }).text ?? "";
}
