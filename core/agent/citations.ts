import type { AgentContext } from "./context.ts";
import { listItems, marker } from "./guards/check-reply.ts";

/**
 * Ids of the knowledge items that a reply answers from: those that a model marked, and those whose
 * whole answer the text has, as replies of the built-in agent do.
 */
export function listCited(
  text: string,
  context: Pick<AgentContext, "knowledge" | "rounds" | "offeredItems">,
): number[] {
  const marked = [...text.matchAll(marker)].map(([, id]) => Number(id));
  const offered = (context.offeredItems ?? []).map(({ id, answer }) => [id, answer] as const);
  const items = [...listItems(context), ...offered];
  const held = items.filter(([, answer]) => text.includes(answer)).map(([id]) => id);
  return [...new Set([...marked, ...held])];
}
