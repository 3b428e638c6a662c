import type { MigrationInterface, QueryRunner } from "typeorm";

const id = "BIGINT UNSIGNED";

/** Consents under way, and a way to the connections of one external account in every tenant. */
export class CalendarConsents1772000700100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE calendar_consents (state_hash BINARY(32) NOT NULL, account_id ${id} NOT NULL,
         user_id ${id} NOT NULL, session_hash BINARY(32) NOT NULL, connection_id ${id} NULL,
         expires_at DATETIME(3) NOT NULL,
         PRIMARY KEY (state_hash), KEY calendar_consents_expires (expires_at)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
    );
    await runner.query(
      "ALTER TABLE calendar_connections ADD KEY calendar_connections_subject (provider, external_id)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE calendar_connections DROP KEY calendar_connections_subject");
    await runner.query("DROP TABLE calendar_consents");
  }
}
