import { searchKnowledge } from "../knowledge-index.ts";
import type { Tool } from "./tool-run.ts";

/** Finds approved knowledge items that fit a question. */
export const findKnowledge: Tool<"search_knowledge"> = async ({ tx, language }, { query }) => {
  const hits = await searchKnowledge(tx, query, language);
  const items = hits.map(({ id, question, answer }) => ({ id: `k${id}`, question, answer }));
  return { result: { items } };
};
