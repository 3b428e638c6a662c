import type { MigrationInterface, QueryRunner } from "typeorm";

const ascii = "CHARACTER SET ascii COLLATE ascii_bin";

/**
 * Model providers: the key that sealed a provider's API key, and the end of the API key for people.
 * Knowledge: an index by change, from which a search sees whether its index is current.
 */
export class AgentKeys1772000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE agent_providers RENAME COLUMN api_key TO sealed");
    await runner.query(
      `ALTER TABLE agent_providers
         ADD COLUMN key_id VARCHAR(32) ${ascii} NOT NULL AFTER sealed,
         ADD COLUMN key_hint VARCHAR(4) ${ascii} NOT NULL DEFAULT '' AFTER key_id`,
    );
    await runner.query(
      "ALTER TABLE knowledge_items ADD KEY knowledge_items_updated (account_id, updated_at)",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE knowledge_items DROP INDEX knowledge_items_updated");
    await runner.query("ALTER TABLE agent_providers DROP COLUMN key_hint, DROP COLUMN key_id");
    await runner.query("ALTER TABLE agent_providers RENAME COLUMN sealed TO api_key");
  }
}
