import { pairsOfFile } from "../../core/agent/sources/files.ts";
import type { Pair } from "../../core/agent/sources/pairs.ts";
import { invalidField } from "../../core/errors.ts";
import { maxSourceBytes, type KnowledgeSourceBody } from "../../core/model/knowledge.ts";
import {
  addKnowledgeFile,
  addKnowledgePage,
  deleteKnowledgeSource,
  listKnowledgeSources,
  refreshKnowledgePage,
} from "../../core/services/agent/knowledge-sources.ts";
import type { Deps } from "../deps.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";
import { requireTarget } from "./target.ts";

const tag = "Knowledge";
const noun = "knowledge_source";

/** Pages and files from which knowledge is suggested. */
export const knowledgeSourceRoutes = [
  dashboardRoute("GET /knowledge-sources", {
    access: agent,
    tag,
    summary: "List the pages and files of the knowledge, newest first",
    run: async (tx, { query }) => {
      const page = await listKnowledgeSources(tx, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /knowledge-sources", {
    access: admin,
    tag,
    summary: "Add a page, which is read each day, or a file; both become suggestions",
    // JSON needs more bytes than the text that it holds.
    maxBodyBytes: 2 * maxSourceBytes,
    prepare: async ({ body }, deps) => await readSource(body, deps),
    run: async (tx, { body, prepared }) => ({
      data:
        body.kind === "page"
          ? await addKnowledgePage(tx, body)
          : await addKnowledgeFile(tx, body, prepared),
    }),
  }),
  dashboardRoute("POST /knowledge-sources/:id/refresh", {
    access: admin,
    tag,
    noun,
    summary: "Read a page now; a read under way serves for this request too",
    run: async (tx, { id }) => ({ data: await refreshKnowledgePage(tx, id) }),
  }),
  dashboardRoute("DELETE /knowledge-sources/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a page or file with its suggestions; approved items stay",
    run: async (tx, { id }) => {
      await deleteKnowledgeSource(tx, id);
      return { data: { id } };
    },
  }),
];

/** The questions of a file; none of a page, which the worker reads. */
async function readSource(body: KnowledgeSourceBody, deps: Deps): Promise<readonly Pair[]> {
  if (body.kind === "page") {
    await requireTarget("body.url", body.url, deps);
    return [];
  }
  if (Buffer.byteLength(body.content) > maxSourceBytes) {
    throw invalidField("body.content", "too_big", "The file is larger than 2 MiB. Split it.");
  }
  const content = pairsOfFile(body.name, body.content);
  if (typeof content !== "string") return content;
  throw invalidField("body.content", content, fileFailures[content] ?? "The file cannot be read.");
}

/** Reasons for people who call the API. The Dashboard has its own words for the codes. */
const fileFailures: Partial<Record<string, string>> = {
  unknown_kind: "Use a file whose name ends in .txt, .md or .csv.",
  not_text: "The file holds no plain text. Save it as UTF-8 text.",
  not_csv: "The file is no valid CSV. Check its quotation marks.",
  not_two_columns: "Each row needs two columns: question and answer.",
};
