import type { MigrationInterface, QueryRunner } from "typeorm";

const defaults = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci";
const ascii = "CHARACTER SET ascii COLLATE ascii_bin";
const times = `created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)`;

const tables: [name: string, columns: string][] = [
  [
    "resources",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    time_zone VARCHAR(64) ${ascii} NOT NULL,
    weekly_hours JSON NOT NULL,
    archived_at DATETIME(3) NULL,
    ${times},
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    KEY resources_account (account_id, id)`,
  ],
  [
    "resource_closures",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    resource_id BIGINT UNSIGNED NOT NULL,
    start_time DATETIME(3) NOT NULL,
    end_time DATETIME(3) NOT NULL,
    reason VARCHAR(500) NULL,
    created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY resource_closures_resource (resource_id, end_time)`,
  ],
  [
    "services",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    name VARCHAR(200) NOT NULL,
    duration_minutes INT UNSIGNED NOT NULL,
    buffer_before_minutes INT UNSIGNED NOT NULL DEFAULT '0',
    buffer_after_minutes INT UNSIGNED NOT NULL DEFAULT '0',
    step_minutes INT UNSIGNED NULL,
    archived_at DATETIME(3) NULL,
    ${times},
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    KEY services_account (account_id, id)`,
  ],
  [
    "service_resources",
    `service_id BIGINT UNSIGNED NOT NULL,
    resource_id BIGINT UNSIGNED NOT NULL,
    account_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (service_id, resource_id),
    KEY service_resources_resource (resource_id)`,
  ],
  [
    "appointments",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    resource_id BIGINT UNSIGNED NOT NULL,
    service_id BIGINT UNSIGNED NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    conversation_id BIGINT UNSIGNED NULL,
    status VARCHAR(16) ${ascii} NOT NULL,
    title VARCHAR(254) NOT NULL,
    start_time DATETIME(3) NOT NULL,
    end_time DATETIME(3) NOT NULL,
    blocked_from DATETIME(3) NOT NULL,
    blocked_until DATETIME(3) NOT NULL,
    customer_name VARCHAR(254) NOT NULL,
    customer_phone VARCHAR(15) ${ascii} NULL,
    source VARCHAR(32) ${ascii} NULL,
    google_event_id VARCHAR(255) ${ascii} NULL,
    replaces_appointment_id BIGINT UNSIGNED NULL,
    replaced_by_appointment_id BIGINT UNSIGNED NULL,
    cancel_reason VARCHAR(500) NULL,
    cancelled_at DATETIME(3) NULL,
    created_by_user_id BIGINT UNSIGNED NULL,
    ${times},
    version INT UNSIGNED NOT NULL DEFAULT '1',
    PRIMARY KEY (id),
    KEY appointments_resource (account_id, resource_id, start_time, id, end_time, status),
    KEY appointments_account (account_id, start_time, id, end_time, status),
    KEY appointments_contact (contact_id, start_time, id),
    KEY appointments_service (service_id, start_time)`,
  ],
  [
    "appointment_reschedules",
    `id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    account_id BIGINT UNSIGNED NOT NULL,
    appointment_id BIGINT UNSIGNED NOT NULL,
    resource_id BIGINT UNSIGNED NOT NULL,
    start_time DATETIME(3) NOT NULL,
    end_time DATETIME(3) NOT NULL,
    blocked_from DATETIME(3) NOT NULL,
    blocked_until DATETIME(3) NOT NULL,
    mode VARCHAR(16) ${ascii} NOT NULL,
    source VARCHAR(32) ${ascii} NULL,
    state VARCHAR(16) ${ascii} NOT NULL,
    failure_code VARCHAR(64) ${ascii} NULL,
    new_appointment_id BIGINT UNSIGNED NULL,
    requested_by_user_id BIGINT UNSIGNED NULL,
    expires_at DATETIME(3) NOT NULL,
    finished_at DATETIME(3) NULL,
    ${times},
    PRIMARY KEY (id),
    KEY appointment_reschedules_appointment (appointment_id, state),
    KEY appointment_reschedules_resource (resource_id, state, start_time)`,
  ],
];

/** Agendas, what is booked in them, and the holds of appointments that are being moved. */
export class Appointments1771000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of tables) {
      await runner.query(`CREATE TABLE ${name} (${columns}) ${defaults}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of tables.toReversed()) await runner.query(`DROP TABLE ${name}`);
  }
}
