import { Readable } from "node:stream";
import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import { byteOrderMark, csvText } from "../../core/imports/csv-text.ts";
import { contentDisposition } from "../../core/media/file-name.ts";
import type { Principal } from "../../core/model/principal.ts";
import type { Locale } from "../../core/model/user.ts";
import {
  errorHeader,
  errorRecord,
  readFileLocale,
} from "../../core/services/imports/error-records.ts";
import { listErrorRows } from "../../core/services/imports/import-rows.ts";
import { getImport } from "../../core/services/imports/imports.ts";
import type { Import } from "../../db/entities/import.ts";
import { snapshot } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { authorizePerson } from "../http/serve.ts";
import { refuseCrossSite } from "../http/session-auth.ts";

const path = "/dashboard/api/imports/:id/errors.csv";
const rowsAtOnce = 1_000;

/**
 * Serves the rows of an import that were not taken as they are, as CSV. Each has the code of its
 * reason, and a text in the language of the person.
 */
export function mountImportErrors(deps: Deps, router: Router): void {
  router.get(path, async (ctx) => {
    ctx.state["route"] = path;
    refuseCrossSite(ctx, deps.config.publicUrl);
    const actor = await authorizePerson(deps, "admin", ctx);
    const text = String(ctx["params"]?.["id"] ?? "");
    if (!/^[1-9]\d{0,14}$/u.test(text)) throw new AppError("import_not_found");
    const { row, locale } = await snapshot(deps.dataSource, { actor }, async (tx) => ({
      row: await getImport(tx, Number(text)),
      locale: await readFileLocale(tx, actor.userId),
    }));
    ctx.set("Content-Type", "text/csv; charset=utf-8");
    ctx.set("Content-Disposition", contentDisposition("attachment", `import-${row.id}-errors.csv`));
    ctx.body = Readable.from(writeLines(deps, { actor, row, locale }));
  });
}

/** Page by page, each on a snapshot of its own: a file of any length holds no connection. */
async function* writeLines(
  { dataSource }: Deps,
  { actor, row, locale }: { actor: Principal; row: Import; locale: Locale },
): AsyncGenerator<string> {
  yield byteOrderMark + csvText([errorHeader(row)]);
  for (let after: number | null = 0; after !== null;) {
    const from: number = after;
    const { rows, next } = await snapshot(dataSource, { actor }, (tx) =>
      listErrorRows(tx, row.id, { after: from, limit: rowsAtOnce }),
    );
    if (rows.length > 0) yield csvText(rows.map((one) => errorRecord(row, one, locale)));
    after = next;
  }
}
