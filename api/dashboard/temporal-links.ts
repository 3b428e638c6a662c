import type { Config } from "../../core/config.ts";

type UiConfig = Pick<Config, "temporalUiUrl" | "temporalNamespace">;

/**
 * A run's URL in Temporal UI; null if no UI is set up or there is no run.
 * @param workflowId the id in Temporal
 */
export function runUrl(config: UiConfig, workflowId: string | null): string | null {
  const runs = runsBase(config);
  return runs === null || workflowId === null ? null : `${runs}/${encodeURIComponent(workflowId)}`;
}

/** URL of an account's runs in Temporal UI; null if no UI is set up. */
export function accountRunsUrl(config: UiConfig, accountId: number): string | null {
  const runs = runsBase(config);
  return runs === null ? null : `${runs}?query=${encodeURIComponent(`AccountId="${accountId}"`)}`;
}

function runsBase({ temporalUiUrl, temporalNamespace }: UiConfig): string | null {
  return temporalUiUrl === null
    ? null
    : `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows`;
}
