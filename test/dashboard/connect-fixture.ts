import { metaAccounts, type MetaAccount } from "../../dev/stand-in/meta-accounts.ts";
import { startMetaStandIn, type MetaStandIn } from "../../dev/stand-in/meta-server.ts";
import { startDashboard, type DashboardFixture } from "../support/dashboard-fixture.ts";

/** The app that the stand-in knows. */
export const metaApp = {
  id: "1234567890",
  secret: "app-secret-of-meta-1",
  instagramSecret: "instagram-secret-of-meta-1",
};

/** A Dashboard whose Meta is the stand-in. */
export interface ConnectFixture extends DashboardFixture {
  meta: MetaStandIn;
}

/** A Page has one token for Messenger and Instagram; the stand-in tells them apart by the token. */
const instagramByPage: MetaAccount = {
  driver: "instagram_page",
  network: "instagram",
  id: "17841405822304999",
  parentId: "178229012934777",
  token: "stand-in-token-instagram-page",
  name: "@clinica.pagina",
};

/** Accounts of the stand-in, by driver. */
export const accountsByDriver = Object.fromEntries(
  [...metaAccounts, instagramByPage].map((account) => [account.driver, account]),
) as Record<MetaAccount["driver"], MetaAccount>;

/** Starts the stand-in, and a Dashboard whose API calls it and is called by it. */
export async function startConnectFixture(): Promise<ConnectFixture> {
  const accounts = Object.values(accountsByDriver);
  const meta = await startMetaStandIn({ app: metaApp, accounts, statusMs: 1, retryMs: 20 });
  const dashboard = await startDashboard((url) => ({
    PUBLIC_URL: url,
    META_GRAPH_URL: meta.url,
    META_INSTAGRAM_URL: meta.url,
  }));
  return {
    ...dashboard,
    meta,
    async stop() {
      await dashboard.stop();
      await meta.close();
    },
  };
}
