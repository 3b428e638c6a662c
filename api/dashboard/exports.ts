import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import { contentDisposition } from "../../core/media/file-name.ts";
import { recordId } from "../../core/model/wire.ts";
import { listExports, presentExports } from "../../core/services/exports/export-list.ts";
import {
  createExport,
  getExport,
  getExportFile,
  presentExport,
  repeatExport,
} from "../../core/services/exports/exports.ts";
import { transaction } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import type { Route } from "../http/route.ts";
import { authorizePerson } from "../http/serve.ts";
import { admin } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Exports";
const noun = "export";

/** Exports: files with the rows of a list, or with all about one contact. */
export const exportRoutes: Route[] = [
  dashboardRoute("GET /exports", {
    access: admin,
    tag,
    summary: "List the exports of the account, the newest first",
    run: async (tx, { query }) => {
      const page = await listExports(tx, query);
      return { data: await presentExports(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /exports", {
    access: admin,
    tag,
    summary: "Ask for a file with the rows of a list, or with all about one contact",
    errors: ["contact_not_found"],
    run: async (tx, { body }) => ({ data: presentExport(await createExport(tx, body), tx.now) }),
  }),
  dashboardRoute("GET /exports/:id", {
    access: admin,
    tag,
    noun,
    summary: "Read an export of one's own and how far it has come",
    run: async (tx, { id }) => ({ data: presentExport(await getExport(tx, id), tx.now) }),
  }),
  dashboardRoute("POST /exports/:id/repeat", {
    access: admin,
    tag,
    noun,
    summary: "Ask again for an export of one's own, with the same filters",
    errors: ["contact_not_found"],
    run: async (tx, { id }) => ({ data: presentExport(await repeatExport(tx, id), tx.now) }),
  }),
];

const filePath = "/dashboard/api/exports/:id/file";

/**
 * Serves the file of an export for 24 hours to the person who asked for it, and to nobody else. The
 * session is the whole right to read, so a link that somebody passes on opens nothing.
 */
export function mountExportFile(deps: Deps, router: Router): void {
  router.get(filePath, async (ctx) => {
    ctx.state["route"] = filePath;
    const actor = await authorizePerson(deps, "admin", ctx);
    const id = recordId.safeParse(Number(ctx["params"]?.["id"]));
    if (!id.success) throw new AppError("export_not_found");
    const file = await transaction(deps.dataSource, { actor }, (tx) => getExportFile(tx, id.data));
    const found = await deps.media.storage.stat(file.key);
    const stream = found && (await deps.media.storage.get(file.key));
    if (stream === null) throw new AppError("export_not_found");
    ctx.body = stream;
    ctx.set(
      "Content-Type",
      file.name.endsWith(".zip") ? "application/zip" : "text/csv; charset=utf-8",
    );
    ctx.set("Content-Disposition", contentDisposition("attachment", file.name));
    ctx.set("X-Content-Type-Options", "nosniff");
    ctx.set("Cache-Control", "private, no-store");
    if (found !== null) ctx.length = found.size;
  });
}
