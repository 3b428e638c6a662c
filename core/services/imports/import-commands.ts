import type { Import } from "../../../db/entities/import.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";

/**
 * Command that wakes the run of an import, or starts it. An undo has a run of its own. A run that
 * has ended before does not prevent the start: a person tries a failed import again, or the run was
 * lost.
 */
export function importCommand({
  id,
  accountId,
  state,
}: Pick<Import, "id" | "accountId" | "state">): WorkflowCommand {
  const isUndo = state === "undoing";
  return {
    op: "signal",
    signal: "changed",
    workflow: isUndo ? "undoImport" : "importFile",
    workflowId: isUndo ? `undo-import-${id}` : `import-${id}`,
    taskQueue: "ops",
    input: { accountId, importId: id },
    again: true,
    summary: isUndo ? `undo import ${id}` : `import ${id}`,
  };
}
