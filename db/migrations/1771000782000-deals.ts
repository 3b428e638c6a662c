import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** Cards with a value and an outcome; stages with a hue and a slow limit. */
export class Deals1771000782000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE pipelines ADD COLUMN lost_reasons JSON NULL AFTER is_default");
    await runner.query(
      `ALTER TABLE pipeline_stages
         ADD COLUMN hue VARCHAR(8) ${ascii} NOT NULL DEFAULT 'slate' AFTER position,
         ADD COLUMN slow_after_days INT UNSIGNED NULL AFTER hue`,
    );
    await runner.query(
      `ALTER TABLE contact_stages
         ADD COLUMN outcome VARCHAR(8) ${ascii} NOT NULL DEFAULT 'open' AFTER moved_at,
         ADD COLUMN lost_reason VARCHAR(200) NULL AFTER outcome,
         ADD COLUMN closed_at DATETIME(3) NULL AFTER lost_reason,
         ADD COLUMN amount BIGINT UNSIGNED NULL AFTER closed_at,
         ADD COLUMN currency VARCHAR(3) ${ascii} NULL AFTER amount,
         DROP KEY contact_stages_board,
         ADD KEY contact_stages_board (stage_id, outcome, place, id),
         ADD KEY contact_stages_sums (stage_id, outcome, currency, amount),
         ADD KEY contact_stages_won (pipeline_id, outcome, closed_at, currency, amount)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE contact_stages
         DROP KEY contact_stages_board, DROP KEY contact_stages_sums, DROP KEY contact_stages_won,
         DROP COLUMN outcome, DROP COLUMN lost_reason, DROP COLUMN closed_at,
         DROP COLUMN amount, DROP COLUMN currency,
         ADD KEY contact_stages_board (stage_id, place, id)`,
    );
    await runner.query("ALTER TABLE pipeline_stages DROP COLUMN hue, DROP COLUMN slow_after_days");
    await runner.query("ALTER TABLE pipelines DROP COLUMN lost_reasons");
  }
}
