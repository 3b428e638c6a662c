import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const id = "BIGINT UNSIGNED";
const count = "INT UNSIGNED NOT NULL DEFAULT 0";
const now = "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";
const key = `id ${id} NOT NULL AUTO_INCREMENT, account_id ${id} NOT NULL`;
const editable = `created_at ${now}, updated_at ${now}, version INT UNSIGNED NOT NULL DEFAULT 1`;

const tables = {
  agent_profiles: `${key}, enabled TINYINT(1) NOT NULL DEFAULT 0, draft JSON NOT NULL,
    published_number INT UNSIGNED NOT NULL, ${editable},
    PRIMARY KEY (id), UNIQUE KEY agent_profiles_account (account_id)`,
  agent_versions: `${key}, number INT UNSIGNED NOT NULL, settings JSON NOT NULL,
    published_by_user_id ${id} NULL, created_at ${now},
    PRIMARY KEY (id), UNIQUE KEY agent_versions_number (account_id, number)`,
  agent_providers: `${key}, kind VARCHAR(20) ${ascii} NOT NULL, base_url VARCHAR(500) ${ascii} NULL,
    model VARCHAR(200) NOT NULL, api_key VARCHAR(1024) ${ascii} NOT NULL,
    input_price ${count}, output_price ${count}, position ${count},
    failing_until DATETIME(3) NULL, failure VARCHAR(32) ${ascii} NULL, ${editable},
    PRIMARY KEY (id), KEY agent_providers_account (account_id, position, id)`,
  agent_turns: `${key}, conversation_id ${id} NOT NULL, contact_id ${id} NOT NULL,
    open_conversation_id ${id} NULL, epoch INT UNSIGNED NOT NULL, watermark ${id} NOT NULL,
    settings_number INT UNSIGNED NOT NULL, mode VARCHAR(12) ${ascii} NOT NULL,
    engine VARCHAR(20) ${ascii} NOT NULL, outcome VARCHAR(16) ${ascii} NULL,
    reason VARCHAR(32) ${ascii} NULL, steps ${count}, calls ${count}, input_tokens ${count},
    cached_tokens ${count}, output_tokens ${count}, cost_micros ${count}, message_id ${id} NULL,
    cut_at DATETIME(3) NULL, aborted_at DATETIME(3) NULL, created_at ${now},
    finished_at DATETIME(3) NULL,
    PRIMARY KEY (id), UNIQUE KEY agent_turns_open (open_conversation_id),
    KEY agent_turns_conversation (conversation_id, id), KEY agent_turns_account (account_id, id),
    KEY agent_turns_contact (contact_id, id), KEY agent_turns_created (created_at, id)`,
  agent_steps: `${key}, turn_id ${id} NOT NULL, seq INT UNSIGNED NOT NULL,
    state VARCHAR(8) ${ascii} NOT NULL, tries ${count}, provider_id ${id} NULL, output JSON NULL,
    repair TEXT NULL, failure VARCHAR(32) ${ascii} NULL, guard VARCHAR(16) ${ascii} NULL,
    input_tokens ${count}, cached_tokens ${count}, output_tokens ${count}, duration_ms ${count},
    created_at ${now},
    PRIMARY KEY (id), UNIQUE KEY agent_steps_seq (turn_id, seq),
    KEY agent_steps_created (created_at, id)`,
  agent_tool_calls: `${key}, turn_id ${id} NOT NULL, conversation_id ${id} NOT NULL,
    contact_id ${id} NOT NULL, seq INT UNSIGNED NOT NULL, position INT UNSIGNED NOT NULL,
    call_id VARCHAR(64) ${ascii} NOT NULL, tool VARCHAR(64) ${ascii} NOT NULL, input JSON NULL,
    result JSON NULL, code VARCHAR(32) ${ascii} NOT NULL, untold TINYINT(1) NOT NULL DEFAULT 0,
    appointment_id ${id} NULL, told_message_id ${id} NULL, created_at ${now},
    PRIMARY KEY (id), UNIQUE KEY agent_tool_calls_position (turn_id, seq, position),
    KEY agent_tool_calls_untold (conversation_id, untold, id),
    KEY agent_tool_calls_contact (contact_id, created_at),
    KEY agent_tool_calls_created (created_at, id)`,
  agent_conversations: `${key}, conversation_id ${id} NOT NULL, language VARCHAR(8) ${ascii} NULL,
    dialogue JSON NULL, offers JSON NULL, offered_at DATETIME(3) NULL,
    answered_up_to ${id} NOT NULL DEFAULT 0, owed_since DATETIME(3) NULL, updated_at ${now},
    PRIMARY KEY (id), UNIQUE KEY agent_conversations_conversation (conversation_id),
    KEY agent_conversations_owed (owed_since, conversation_id)`,
  knowledge_items: `${key}, question VARCHAR(500) NOT NULL, phrasings JSON NOT NULL,
    answer TEXT NOT NULL, language VARCHAR(8) ${ascii} NOT NULL, state VARCHAR(12) ${ascii} NOT NULL,
    valid_until DATETIME(3) NULL, created_by_user_id ${id} NULL, ${editable},
    PRIMARY KEY (id), KEY knowledge_items_state (account_id, state, id)`,
  knowledge_gaps: `${key}, conversation_id ${id} NOT NULL, contact_id ${id} NOT NULL,
    turn_id ${id} NOT NULL, question VARCHAR(500) NOT NULL, language VARCHAR(8) ${ascii} NOT NULL,
    resolved_at DATETIME(3) NULL, item_id ${id} NULL, created_at ${now},
    PRIMARY KEY (id), KEY knowledge_gaps_account (account_id, resolved_at, id),
    KEY knowledge_gaps_contact (contact_id, id), UNIQUE KEY knowledge_gaps_turn (turn_id)`,
};

/** The AI agent: settings, providers, turns with steps and tool calls, and knowledge. */
export class Agent1772000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(tables)) {
      await runner.query(`CREATE TABLE ${name} (${columns}) ${defaults}`);
    }
    await runner.query(`ALTER TABLE messages ADD COLUMN agent_turn_id ${id} NULL AFTER bot_epoch`);
    await runner.query("ALTER TABLE messages ADD UNIQUE KEY messages_agent_turn (agent_turn_id)");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE messages DROP INDEX messages_agent_turn, DROP COLUMN agent_turn_id",
    );
    for (const name of Object.keys(tables).toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
