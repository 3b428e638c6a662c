import type { Page } from "playwright-core";
import type { DataSource } from "typeorm";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createTestAccount, type TestAccount } from "./accounts.ts";
import { createTestAgenda, type TestAgenda } from "./appointments.ts";
import type { TestAnswer } from "./api.ts";
import { startDashboard, type DashboardFixture, type OpenOptions } from "./dashboard-fixture.ts";

/** The Dashboard of a test file, and the account of the test that runs. */
export interface OwnAccounts {
  readonly fixture: DashboardFixture;
  /** Its admin; a test may go on as somebody else. */
  account: TestAccount;
  /** A call of the JSON API that is not refused. @returns its `data`. */
  call: (method: string, path: string, body?: unknown) => Promise<TestAnswer["json"]>;
  open: (path: string, options?: OpenOptions) => Promise<Page>;
}

/** {@link OwnAccounts} whose account has one agenda. */
export interface OwnAgenda extends OwnAccounts {
  readonly agenda: TestAgenda;
}

/** A Dashboard for the test file, with an account and its agenda for each test. */
export function setUpOwnAgenda(): OwnAgenda {
  let agenda: TestAgenda;
  const own = setUpOwnAccounts(async (dataSource) => {
    agenda = await createTestAgenda(dataSource);
    return agenda.account;
  });
  return Object.defineProperties(own as OwnAgenda, { agenda: { get: () => agenda } });
}

/** A Dashboard for the test file, with an account for each test, so that each starts with nothing. */
export function setUpOwnAccounts(
  createAccount: (dataSource: DataSource) => Promise<TestAccount> = createTestAccount,
): OwnAccounts {
  let fixture: DashboardFixture;
  let account: TestAccount;
  beforeAll(async () => {
    fixture = await startDashboard();
  });
  beforeEach(async () => {
    account = await createAccount(fixture.database.dataSource);
  });
  afterAll(async () => await fixture.stop());
  return {
    get fixture() {
      return fixture;
    },
    get account() {
      return account;
    },
    set account(other) {
      account = other;
    },
    call: async (method, path, body) => {
      const { cookie } = account;
      const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
      expect([path, answer.status < 300]).toEqual([path, true]);
      return answer.json.data;
    },
    open: async (path, options = {}) =>
      (await fixture.open(path, { as: account.cookie, ...options })).page,
  };
}
