import type { CaseExpectation, CaseResult } from "../model/agent-case.ts";

/** Compares a run of a test case with its expectation. A model judges nothing. */
export function judgeCase(
  expected: CaseExpectation,
  found: Omit<CaseResult, "differences">,
): CaseResult {
  const { outcome, tool, item_id: item } = expected;
  const differences: CaseResult["differences"] = [];
  if (found.error !== null) return { ...found, differences: ["error"] };
  if (outcome !== null && found.outcome !== outcome) differences.push("outcome");
  if (tool !== null && !found.tools.includes(tool)) differences.push("tool");
  if (item !== null && !found.cited.includes(item)) differences.push("item");
  return { ...found, differences };
}
