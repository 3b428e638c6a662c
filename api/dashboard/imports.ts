import { z } from "zod";
import {
  chatMapping,
  contactMapping,
  type DetectedTable,
  type ImportKindName,
  type ImportMapping,
  type ImportPatch,
} from "../../core/model/import.ts";
import type { Principal } from "../../core/model/principal.ts";
import { listRows } from "../../core/services/imports/import-rows.ts";
import {
  changeImport,
  getImport,
  listImports,
  mapImport,
  storeDetected,
  type ImportStepCommand,
} from "../../core/services/imports/imports.ts";
import {
  presentImport,
  presentImportRow,
  presentImports,
} from "../../core/services/imports/present-import.ts";
import type { Import } from "../../db/entities/import.ts";
import { snapshot, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { parseBody } from "../http/input.ts";
import type { Route } from "../http/route.ts";
import { readAgain } from "../imports/read-again.ts";
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

/** Change of an import, with its file read anew where a person names charset or delimiter. */
interface ImportChange {
  mapping: ImportMapping | null;
  detected: DetectedTable | null;
}

async function prepareChange(
  id: number,
  body: ImportPatch,
  actor: Principal,
  deps: Deps,
): Promise<ImportChange> {
  const row = await snapshot(deps.dataSource, { actor }, (tx) => getImport(tx, id));
  const mapping = body.mapping === undefined ? null : readMapping(row.kind, body);
  return { mapping, detected: await readAgain(deps, row, body) };
}

/** The mapping follows the new facts of the file. */
async function change(tx: Tx, id: number, { mapping, detected }: ImportChange): Promise<Import> {
  const read = detected === null ? null : await storeDetected(tx, id, detected);
  if (mapping !== null) return await mapImport(tx, id, mapping);
  return read ?? (await getImport(tx, id));
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
    summary: "Save the mapping of an import, or name charset and delimiter of its file",
    errors: ["import_state", "import_file_invalid"],
    prepare: async ({ id, body, actor }, deps) => await prepareChange(id, body, actor, deps),
    run: async (tx, { id, prepared }) => ({
      data: await presentImport(tx, await change(tx, id, prepared)),
    }),
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
