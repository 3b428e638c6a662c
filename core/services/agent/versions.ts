import type { Tx } from "../../../db/transaction.ts";
import { agentSettings, type AgentSettings } from "../../model/agent.ts";

/** Published settings with the number of their version. */
export interface ActiveAgent {
  number: number;
  settings: AgentSettings;
}

/** The published settings of the account's agent; null while the agent is off or was never set up. */
export async function findActiveAgent(tx: Tx): Promise<ActiveAgent | null> {
  const [row] = await tx.manager.query<{ number: number; settings: unknown }[]>(
    `SELECT v.number, v.settings FROM agent_profiles p
       JOIN agent_versions v ON v.account_id = p.account_id AND v.number = p.published_number
      WHERE p.account_id = ? AND p.enabled`,
    [tx.actor.accountId],
  );
  return row === undefined ? null : { ...row, settings: agentSettings.parse(row.settings) };
}

/** The settings with which a turn began. */
export async function getTurnSettings(
  { manager, actor }: Tx,
  turnId: number,
): Promise<AgentSettings> {
  const [row] = await manager.query<{ settings: unknown }[]>(
    `SELECT v.settings FROM agent_turns t
       JOIN agent_versions v ON v.account_id = t.account_id AND v.number = t.settings_number
      WHERE t.account_id = ? AND t.id = ?`,
    [actor.accountId, turnId],
  );
  return agentSettings.parse(row?.settings);
}
