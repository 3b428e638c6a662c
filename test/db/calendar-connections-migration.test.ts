import { expect, test } from "vitest";
import { openCredentials } from "../../core/services/calendars/connections.ts";
import { resealSecrets } from "../../core/services/operations/sealed-secrets.ts";
import { createSecretBox, generateSecretKey, type SecretBox } from "../../core/secrets.ts";
import { CalendarConnection } from "../../db/entities/calendar-connection.ts";
import { migrate, undoMigration } from "../../db/migrate.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import { useFixture } from "../support/use-fixture.ts";
import { startBefore } from "./own-database.ts";

/** Each newer migration is made and undone, on a machine with other work. */
const undoMs = 240_000;

const fixture = useFixture(async () => await startBefore("CalendarConnections1772000700000"));
const oldKey = generateSecretKey("old");
const oldBox = createSecretBox(oldKey);
const newBox = createSecretBox(`${generateSecretKey("new")},${oldKey}`);

/** A calendar as it was stored before connections, with its own credentials. */
async function insertLink(resourceId: number, refreshToken: string): Promise<void> {
  const context = `calendar_links:sealed:1:${resourceId}`;
  const sealed = oldBox.seal(JSON.stringify({ refresh_token: refreshToken }), context);
  await fixture.dataSource.query(
    `INSERT INTO calendar_links SET account_id = 1, resource_id = ?, provider = 'google',
       calendar_id = 'ana@example.com', sealed = ?, key_id = 'old'`,
    [resourceId, sealed],
  );
}

/** Refresh tokens by resource, as the stored connections open. */
async function openAll(secretBox: SecretBox): Promise<[number, unknown][]> {
  const links = await fixture.dataSource.query<{ resource_id: number; connection_id: number }[]>(
    "SELECT resource_id, connection_id FROM calendar_links ORDER BY resource_id",
  );
  const rows = await fixture.dataSource.getRepository(CalendarConnection).find();
  return links.flatMap(({ resource_id, connection_id }) =>
    rows
      .filter(({ id }) => id === Number(connection_id))
      .map((row): [number, unknown] => [Number(resource_id), openCredentials(secretBox, row)]),
  );
}

test(
  "each calendar of before gets a connection that opens, also after a change of the key",
  async () => {
    await insertLink(7, "refresh-7");
    await insertLink(8, "refresh-8");
    await migrate(fixture.dataSource);
    const tokens = [
      [7, { refresh_token: "refresh-7" }],
      [8, { refresh_token: "refresh-8" }],
    ];
    expect(await openAll(oldBox)).toEqual(tokens);
    const links = await fixture.dataSource.query(
      "SELECT resource_id, direction, state FROM calendar_links ORDER BY resource_id",
    );
    expect(links).toMatchObject([
      { direction: "write_only", state: "connected" },
      { direction: "write_only", state: "connected" },
    ]);

    expect(
      await transaction(fixture.dataSource, systemOf(), (tx) => resealSecrets(tx, newBox, 10)),
    ).toBe(2);
    expect(await openAll(newBox)).toEqual(tokens);
    const keys = await fixture.dataSource.query("SELECT DISTINCT key_id FROM calendar_connections");
    expect(keys).toEqual([{ key_id: "new" }]);

    await fixture.dataSource.query(
      `INSERT INTO calendar_events (account_id, appointment_id, link_id, event_id, origin)
       VALUES (1, 1, 1, 'ours', 'parley'), (1, 2, 1, 'theirs', 'google')`,
    );
    while ((await undoMigration(fixture.dataSource)) !== "CalendarConnections1772000700000");
    const [row] = await fixture.dataSource.query<{ sealed: string }[]>(
      "SELECT sealed FROM calendar_links WHERE resource_id = 7",
    );
    const opened = newBox.open(row?.sealed ?? "", "calendar_links:sealed:1:7");
    expect(JSON.parse(opened)).toEqual({ refresh_token: "refresh-7" });
    // Code of before would take the other one for its own.
    const events = await fixture.dataSource.query("SELECT event_id FROM calendar_events");
    expect(events).toEqual([{ event_id: "ours" }]);
  },
  undoMs,
);
