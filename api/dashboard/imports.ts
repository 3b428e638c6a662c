import { z } from "zod";
import {
  chatMapping,
  contactMapping,
  type ImportKindName,
  type ImportMapping,
} from "../../core/model/import.ts";
import { listRows } from "../../core/services/imports/import-rows.ts";
import {
  changeImport,
  getImport,
  listImports,
  mapImport,
  type ImportStepCommand,
} from "../../core/services/imports/imports.ts";
import {
  presentImport,
  presentImportRow,
  presentImports,
} from "../../core/services/imports/present-import.ts";
import { parseBody } from "../http/input.ts";
import type { Route } from "../http/route.ts";
import { admin } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "import";
const tag = "Imports";

const bodies = {
  contacts: z.object({ mapping: contactMapping }),
  chat: z.object({ mapping: chatMapping }),
} satisfies Record<ImportKindName, z.ZodType>;

function readMapping(kind: ImportKindName, body: unknown): ImportMapping {
  return kind === "chat"
    ? parseBody(bodies.chat, body).mapping
    : parseBody(bodies.contacts, body).mapping;
}

/** Errors of a step besides `import_state`. */
const ownErrors: Partial<
  Record<ImportStepCommand, ("import_not_mapped" | "import_undo_expired")[]>
> = {
  plan: ["import_not_mapped"],
  undo: ["import_undo_expired"],
};

/** Imports of contacts and of chats. `api/imports/` takes the upload and serves the file of errors. */
export const importRoutes: Route[] = [
  dashboardRoute("GET /imports", {
    access: admin,
    tag,
    summary: "List the imports of the account, the newest first",
    run: async (tx, { query }) => {
      const page = await listImports(tx, query);
      return { data: await presentImports(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /imports/:id", {
    access: admin,
    tag,
    noun,
    summary: "Read an import with its counts and its state",
    run: async (tx, { id }) => ({ data: await presentImport(tx, await getImport(tx, id)) }),
  }),
  dashboardRoute("PATCH /imports/:id", {
    access: admin,
    tag,
    noun,
    summary: "Save the mapping of an import; an earlier plan is void",
    errors: ["import_state"],
    run: async (tx, { id, body }) => {
      const { kind } = await getImport(tx, id);
      const mapping = readMapping(kind, body);
      return { data: await presentImport(tx, await mapImport(tx, id, mapping)) };
    },
  }),
  dashboardRoute("GET /imports/:id/rows", {
    access: admin,
    tag,
    noun,
    summary: "List the rows of an import with plan and outcome, in the order of the file",
    run: async (tx, { id, query }) => {
      const { rows, next } = await listRows(tx, id, query);
      return { data: rows.map(presentImportRow), meta: { limit: query.limit, next } };
    },
  }),
  stepRoute("plan", "Plan an import: nothing changes yet"),
  stepRoute("commit", "Commit the plan of an import"),
  stepRoute("pause", "Pause a commit; a batch under way ends first"),
  stepRoute("resume", "Go on with a paused commit where it stopped"),
  stepRoute("cancel", "Cancel an import; rows that are done stay"),
  stepRoute("undo", "Undo an import, within 24 hours after its end"),
];

function stepRoute(step: ImportStepCommand, summary: string): Route {
  return dashboardRoute(`POST /imports/:id/${step}`, {
    access: admin,
    tag,
    noun,
    summary,
    errors: ["import_state", ...(ownErrors[step] ?? [])],
    run: async (tx, { id, body }) => ({
      data: await presentImport(tx, await changeImport(tx, id, step, body.reason)),
    }),
  });
}
