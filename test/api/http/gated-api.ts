import { afterEach } from "vitest";
import { openDatabase } from "../../../db/data-source.ts";
import { startTestApi, type TestAnswer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { startDatabaseGate } from "./database-gate.ts";

/** Registers an API that reaches MySQL through a gate, with the pool that operators run. */
export function useGatedApi() {
  const fixture = useFixture(startApiFixture);
  const gate = useFixture(async () => await startDatabaseGate(fixture.database.url));
  const gated = useFixture(async () => {
    const dataSource = await openDatabase({ url: gate.url, poolSize: 10, bounded: true });
    return { dataSource, stop: async () => await dataSource.destroy() };
  });
  const api = useFixture(
    async () => await startTestApi({ ...fixture.database, dataSource: gated.dataSource }),
  );
  const create = async (body: object, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    await api.call("POST", "/api/v1/contacts", { apiKey: fixture.account.apiKey, headers, body });
  const list = async () =>
    await api.call("GET", "/api/v1/contacts", { apiKey: fixture.account.apiKey });

  // A test that fails leaves MySQL in reach of the next one.
  afterEach(async () => {
    gate.open();
    await eventually(async () => {
      if ((await list()).status !== 200) throw new Error("MySQL is still away");
    });
  });
  return { fixture, gate, gated, api, create, list };
}
