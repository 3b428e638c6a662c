import type { Locator, Page } from "playwright-core";
import { beforeEach, expect } from "vitest";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createImportFile } from "../../activities/import-file.ts";
import { importWorks } from "../../activities/imports/kinds.ts";
import { createLog } from "../../core/log.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { createActivityEnvironment, runActivity } from "../support/activity.ts";
import type { TestAnswer } from "../support/api.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";

/** An account that imports: its pages, its calls, and the steps that a worker takes for it. */
interface ImportDesk {
  /** Call of the Dashboard API as the account's admin. @returns `data` of the answer */
  call(method: string, path: string, body?: unknown): Promise<TestAnswer["json"]>;
  open(path: string): Promise<Page>;
  /** Rows of the account in each of these tables. */
  count(...tables: ("contacts" | "conversations" | "messages")[]): Promise<number[]>;
  /** Takes the steps of the account's newest import until it waits for a person. */
  work(): Promise<void>;
  /** Commits or undoes one batch of 500 rows, as a worker does that stops behind it. */
  workOneBatch(): Promise<void>;
}

/** Makes an account for each test, so that each begins without contacts. */
export function useImportDesk(fixture: DashboardFixture): ImportDesk {
  let account: TestAccount;
  beforeEach(async () => {
    account = await createTestAccount(fixture.database.dataSource);
  });
  const desk: ImportDesk = {
    async call(method, path, body) {
      const { cookie } = account;
      const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
      expect([path, answer.status < 300]).toEqual([path, true]);
      return answer.json.data;
    },
    open: async (path) => (await fixture.open(path, { as: account.cookie })).page,
    async count(...tables) {
      const counts: number[] = [];
      for (const table of tables) {
        const [row] = await fixture.database.dataSource.query<{ count: string }[]>(
          `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = ?`,
          [account.accountId],
        );
        counts.push(Number(row?.count));
      }
      return counts;
    },
    async work() {
      const step = await readStep(new AbortController().signal);
      for (let next = "more"; next === "more";) ({ next } = await runActivity(step));
    },
    async workOneBatch() {
      const stopping = new AbortController();
      const step = await readStep(stopping.signal);
      const environment = createActivityEnvironment();
      environment.on("heartbeat", () => stopping.abort());
      await environment.run(step);
    },
  };
  const readStep = async (stopping: AbortSignal) => {
    const deps = {
      dataSource: fixture.database.dataSource,
      media: fixture.api.deps.media,
      log: createLog("worker", "silent"),
      stopping,
    } as unknown as ActivityDeps;
    const steps = createImportFile(deps, importWorks);
    const [{ id: importId }] = await desk.call("GET", "/imports");
    const { accountId } = account;
    return async () => await steps.runImport({ accountId, importId });
  };
  return desk;
}

/** Chooses a file on the page of an upload. */
export async function upload(page: Page, name: string, content: string | Buffer): Promise<void> {
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  const file = { name, mimeType: "text/plain", buffer: Buffer.from(content) };
  await (await choosing).setFiles(file);
}

/** Rows of the file that the page lists, with the head. */
export function listedRows(page: Page): Locator {
  return page.getByRole("region", { name: "Rows of the file" }).getByRole("row");
}

/** Button of the filter by result, such as `5 All`. */
export function resultFilter(page: Page, name: string | RegExp): Locator {
  return page.getByRole("group", { name: "Filter by result" }).getByRole("button", { name });
}
