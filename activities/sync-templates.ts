import { readTemplatePage, templateFields } from "../core/channels/meta/template-list.ts";
import type {
  DueTemplateSyncs,
  SyncTemplatesInput,
  SyncTemplatesOutcome,
  TemplateSyncFailure,
} from "../core/model/workflow/template-sync.ts";
import { openChannelAccess, type ChannelAccess } from "../core/services/channels/channel-access.ts";
import {
  beginTemplateSync,
  completeTemplateSync,
  failTemplateSync,
  requestDueSyncs,
  storeTemplates,
  type TemplateRead,
} from "../core/services/templates/template-sync-runs.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { GraphExchange } from "./channels/graph.ts";
import type { ActivityDeps } from "./deps.ts";

/** Templates of a page. A page stays well below the 2 MiB that the client reads. */
const pageSize = 100;
/** Meta allows 6,000 templates. More pages than this are a loop. */
const maxPages = 100;
const callMs = 20_000;
/** Lists that one transaction requests. */
const listsAtOnce = 100;

type ReadList = (
  input: SyncTemplatesInput,
  read: TemplateRead,
) => Promise<TemplateSyncFailure | "over" | null>;

/** Creates the reader of a whole list. It answers null after the last page, or the failure. */
function createReader({ dataSource, secretBox, graph, log }: ActivityDeps): ReadList {
  const readPage = async (wabaId: string, access: ChannelAccess, after: string | null) => {
    const exchange = await graph.call({
      base: "graph",
      method: "GET",
      path: `/${encodeURIComponent(wabaId)}/message_templates`,
      ...access,
      query: {
        fields: templateFields,
        limit: String(pageSize),
        ...(after !== null && { after }),
      },
      timeoutMs: callMs,
    });
    return readExchange(exchange);
  };

  /** Reads and stores page after page. @returns null after the last page, or the failure. */
  const readAll = async (
    input: SyncTemplatesInput,
    read: TemplateRead,
    access: ChannelAccess,
  ): Promise<TemplateSyncFailure | "over" | null> => {
    let after: string | null = null;
    for (let count = 0; count < maxPages; count += 1) {
      const page = await readPage(read.wabaId, access, after);
      if (typeof page === "string") return page;
      if (page.skipped > 0) log.warn({ skipped: page.skipped }, "templates.rows_skipped");
      const goesOn = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        storeTemplates(tx, input, read, page.templates),
      );
      if (!goesOn) return "over";
      if (page.next === null) return null;
      if (page.next === after) return "not_a_list";
      after = page.next;
    }
    return "too_many_templates";
  };

  // Each number of the account has credentials. The first ones that Meta takes are used.
  return async (input, read) => {
    let failure: TemplateSyncFailure | "over" | null = "no_access";
    for (const id of read.channelAccountIds) {
      const access = await transaction(dataSource, systemOf(input.accountId), (tx) =>
        openChannelAccess(tx, secretBox, id),
      );
      if (access === null) continue;
      failure = await readAll(input, read, access);
      if (failure !== "token_refused" && failure !== "refused") return failure;
    }
    return failure;
  };
}

/** The steps that read lists of templates. Each may run twice: the second reads the list again. */
export function createSyncTemplates(deps: ActivityDeps) {
  const { dataSource, log } = deps;
  const readList = createReader(deps);
  return {
    /**
     * Reads the whole list of a WhatsApp Business Account.
     * @param input `isLast`: no further try follows.
     */
    async syncTemplates(
      input: SyncTemplatesInput & { isLast: boolean },
    ): Promise<SyncTemplatesOutcome> {
      const options = systemOf(input.accountId);
      const read = await transaction(dataSource, options, (tx) => beginTemplateSync(tx, input));
      if (read === null) return { state: "over" };
      const failure = await readList(input, read);
      if (failure === "over") return { state: "over" };
      const outcome = await transaction(dataSource, options, (tx) =>
        failure === null
          ? completeTemplateSync(tx, input, read)
          : failTemplateSync(tx, input, failure, {
              hasNextTry: isPassing(failure) && !input.isLast,
            }),
      );
      const code = outcome.state === "failed" ? outcome.code : null;
      log.info({ list_id: input.syncId, state: outcome.state, code }, "templates.read");
      return outcome;
    },

    /** Requests a run for each list that was read a day ago or longer, of all accounts. */
    async requestDueTemplateSyncs(): Promise<DueTemplateSyncs> {
      const requested = await transaction(dataSource, systemOf(), (tx) =>
        requestDueSyncs(tx, listsAtOnce),
      );
      return { requested, done: requested < listsAtOnce };
    },
  };
}

function isPassing(failure: TemplateSyncFailure): boolean {
  return failure === "unreachable" || failure === "too_many_calls";
}

/** A page, or the reason why there is none. */
function readExchange(exchange: GraphExchange) {
  if (!exchange.answered || exchange.statusCode >= 500) return "unreachable";
  const { statusCode, body } = exchange;
  if (statusCode === 200) return readTemplatePage(body) ?? "not_a_list";
  const { error } = Object(body) as { error?: { code?: unknown } };
  const code = error?.code;
  if (code === 190) return "token_refused";
  if (statusCode === 429 || (typeof code === "number" && busyCodes.has(code))) {
    return "too_many_calls";
  }
  return code === 1 || code === 2 ? "unreachable" : "refused";
}

/** Codes of Meta for too many calls of an app, of a token and of a WhatsApp Business Account. */
const busyCodes: ReadonlySet<number> = new Set([4, 17, 613, 80_007, 80_008]);
