import type {
  DuePages,
  RefreshPageInput,
  RefreshPageOutcome,
} from "../core/model/workflow/knowledge-refresh.ts";
import { beginPage, completePage, requestDuePages } from "../core/services/agent/page-refresh.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** Pages that one transaction requests. */
const pagesAtOnce = 100;

/** The steps that read pages of the knowledge. Each may run twice: the second finds less to do. */
export function createRefreshPage({ dataSource, pages, log }: ActivityDeps) {
  return {
    /** Fetches a page and stores its questions as suggestions. */
    async refreshPage(input: RefreshPageInput): Promise<RefreshPageOutcome> {
      const options = systemOf(input.accountId);
      const url = await transaction(dataSource, options, (tx) => beginPage(tx, input));
      if (url === null) return { state: "over" };
      const content = await pages(url);
      const outcome = await transaction(dataSource, options, (tx) =>
        completePage(tx, input, content),
      );
      log.info({ source_id: input.sourceId, state: outcome.state }, "knowledge_page.refreshed");
      return outcome;
    },

    /** Requests a run for each page that was read a day ago or longer, of all accounts. */
    async requestDuePages(): Promise<DuePages> {
      const requested = await transaction(dataSource, systemOf(), (tx) =>
        requestDuePages(tx, pagesAtOnce),
      );
      return { requested, done: requested < pagesAtOnce };
    },
  };
}
