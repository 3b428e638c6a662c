import { expect, test } from "vitest";
import { createTestAccount } from "../../support/accounts.ts";
import { startTestApi } from "../../support/api.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => {
  const database = await createTestDatabase();
  const api = await startTestApi(database);
  const { cookie } = await createTestAccount(database.dataSource);
  return {
    call: async (path: string) => await api.call("GET", `/dashboard/api${path}`, { cookie }),
    comeBack: async () =>
      await fetch(`${api.url}/integrations/calendly/callback?code=x&state=y`, {
        headers: { cookie },
        redirect: "manual",
      }),
    async stop() {
      await api.stop();
      await database.stop();
    },
  };
});

test("an installation without an app at Calendly begins no consent, and takes none", async () => {
  const { json } = await fixture.call("/calendars");
  expect(json.data.calendly.configured).toBe(false);
  const refused = await fixture.call("/calendars/calendly/connect");
  expect([refused.status, refused.json.error.code]).toEqual([422, "calendly_not_configured"]);
  const answer = await fixture.comeBack();
  expect(answer.headers.get("location")).toBe("/settings/calendars?calendly=expired");
});
