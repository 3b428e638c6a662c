import type { MigrationInterface, QueryRunner } from "typeorm";

const presence = `CREATE TABLE process_presence (
  process_id VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version INT UNSIGNED NOT NULL DEFAULT 1,
  heartbeats JSON NOT NULL,
  updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (process_id),
  KEY process_presence_updated (updated_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;

/** A row for each API process, by which the processes exchange who looks at conversations. */
export class ProcessPresence1771000763000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(presence);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE process_presence");
  }
}
