import type { Page } from "playwright-core";
import { createReadCalendly } from "../../activities/read-calendly.ts";
import { createLog } from "../../core/log.ts";
import { startCalendlyStandIn, type CalendlyStandIn } from "../../dev/stand-in/calendly-server.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../support/accounts.ts";
import { createTestResource } from "../support/appointments.ts";
import { startDashboard, type DashboardFixture } from "../support/dashboard-fixture.ts";

/** The Dashboard of an installation for which a server stands in for Calendly. */
export interface CalendlyDashboard extends DashboardFixture {
  standIn: CalendlyStandIn;
  /** The page of calendars of a new account with one agenda. */
  openNew(
    options?: Parameters<DashboardFixture["open"]>[1],
  ): Promise<{ page: Page; account: TestAccount; resourceId: number }>;
  /** Reads all bookings of the account's connection, as its workflow does. */
  readBookings(account: TestAccount): Promise<void>;
}

/** Starts it. @param hasApp false: the installation has no OAuth app at Calendly */
export async function startWithCalendly(hasApp: boolean): Promise<CalendlyDashboard> {
  const standIn = await startCalendlyStandIn();
  const app = hasApp ? standIn.settings : { CALENDLY_API_URL: standIn.url };
  // Consents need the very address; without one, webhooks are polled all the same.
  const dashboard = await startDashboard((url) => Object.assign({}, app, { PUBLIC_URL: url }));
  const { database, api } = dashboard;
  const { dataSource } = database;
  return {
    ...dashboard,
    standIn,
    async openNew(options = {}) {
      const account = await createTestAccount(dataSource);
      const resourceId = await createTestResource(dataSource, account.accountId);
      const body = { locale: options.locale === "es-MX" ? "es" : "en" };
      await api.call("PATCH", "/dashboard/api/me", { cookie: account.cookie, body });
      const open = Object.assign({}, options, { as: account.cookie });
      const { page } = await dashboard.open("/settings/calendars", open);
      return { page, account, resourceId };
    },
    async readBookings({ accountId, cookie }) {
      const { json } = await api.call("GET", "/dashboard/api/calendars", { cookie });
      const { calendly, config } = api.deps;
      const log = createLog("test", "silent");
      const { publicUrl } = config;
      const deps = { dataSource, secretBox: testSecretBox, calendly, log, publicUrl };
      const connectionId = Number(json.data.connections[0].id);
      await createReadCalendly(deps).readCalendly({ accountId, connectionId });
    },
    async stop() {
      await dashboard.stop();
      await standIn.stop();
    },
  };
}
