import { z } from "zod";
import { toolInputs, type ToolInput, type ToolName } from "./tools.ts";

const maxHint = 500;

/** True for the name of a tool. */
export function isToolName(tool: string): tool is ToolName {
  return Object.hasOwn(toolInputs, tool);
}

/** Arguments of a call, or the faults of the arguments in words for a model. */
export function parseToolInput<Name extends ToolName>(
  tool: Name,
  input: unknown,
): { ok: true; input: ToolInput<Name> } | { ok: false; hint: string } {
  const parsed = toolInputs[tool].safeParse(input);
  if (parsed.success) return { ok: true, input: parsed.data as ToolInput<Name> };
  return { ok: false, hint: z.prettifyError(parsed.error).slice(0, maxHint) };
}
