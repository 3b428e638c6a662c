import type { Config } from "../../core/config.ts";

type UiConfig = Pick<Config, "temporalUiUrl" | "temporalNamespace">;

/**
 * A run in Temporal UI; null where no UI is set up or there is no run.
 * @param workflowId as Temporal has it
 */
export function runUrl(config: UiConfig, workflowId: string | null): string | null {
  const runs = runsBase(config);
  return runs === null || workflowId === null ? null : `${runs}/${encodeURIComponent(workflowId)}`;
}

/** The runs of one account in Temporal UI; null where no UI is set up. */
export function accountRunsUrl(config: UiConfig, accountId: number): string | null {
  const runs = runsBase(config);
  return runs === null ? null : `${runs}?query=${encodeURIComponent(`AccountId="${accountId}"`)}`;
}

function runsBase({ temporalUiUrl, temporalNamespace }: UiConfig): string | null {
  return temporalUiUrl === null
    ? null
    : `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows`;
}
