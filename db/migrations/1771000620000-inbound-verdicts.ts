import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/** What became of each inbound call in a word, to filter and count by, and why a signature was refused. */
export class InboundVerdicts1771000620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE inbound_requests ADD verdict VARCHAR(16) ${ascii} NOT NULL DEFAULT '' AFTER event_id,
         ADD signature_fault VARCHAR(16) ${ascii} NULL, ADD signature_header VARCHAR(32) ${ascii} NULL,
         ADD clock_off_seconds INT NULL, ADD header_names VARCHAR(1000) ${ascii} NULL,
         ADD body_sha256 BINARY(32) NULL`,
    );
    await runner.query(
      `UPDATE inbound_requests SET verdict = CASE
         WHEN error_code IS NULL THEN IF(replayed, 'repeated', 'done')
         WHEN status_code = 401 THEN 'bad_signature'
         WHEN status_code < 500 THEN 'refused'
         ELSE 'failed' END`,
    );
    await runner.query(
      `ALTER TABLE inbound_requests ALTER verdict DROP DEFAULT, DROP KEY inbound_requests_endpoint,
         ADD KEY inbound_requests_endpoint (account_id, endpoint_id, received_at),
         ADD KEY inbound_requests_verdict (account_id, endpoint_id, verdict, received_at)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE inbound_requests DROP KEY inbound_requests_verdict, DROP KEY inbound_requests_endpoint,
         ADD KEY inbound_requests_endpoint (account_id, endpoint_id, id), DROP COLUMN verdict,
         DROP COLUMN signature_fault, DROP COLUMN signature_header, DROP COLUMN clock_off_seconds,
         DROP COLUMN header_names, DROP COLUMN body_sha256`,
    );
  }
}
