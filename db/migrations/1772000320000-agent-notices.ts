import type { MigrationInterface, QueryRunner } from "typeorm";

const columns =
  "account_id, created_at, mode, outcome, reason, engine, cost_micros, input_tokens, output_tokens";

/**
 * Model providers: the beginning of the time in which they fail. Turns: an index by time, which
 * holds all that sums of cost and counts of outcomes read.
 */
export class AgentNotices1772000320000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE agent_providers ADD COLUMN failing_since DATETIME(3) NULL AFTER failing_until",
    );
    await runner.query(`ALTER TABLE agent_turns ADD KEY agent_turns_time (${columns})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE agent_turns DROP INDEX agent_turns_time");
    await runner.query("ALTER TABLE agent_providers DROP COLUMN failing_since");
  }
}
