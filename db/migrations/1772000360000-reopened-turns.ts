import type { MigrationInterface, QueryRunner } from "typeorm";

/** Turns that began because a customer came back, by which the quality of answers is told. */
export class ReopenedTurns1772000360000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE agent_turns ADD COLUMN reopened TINYINT(1) NOT NULL DEFAULT 0 AFTER message_id,
         ADD KEY agent_turns_reopened (account_id, reopened, created_at, mode)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE agent_turns DROP INDEX agent_turns_reopened, DROP COLUMN reopened",
    );
  }
}
