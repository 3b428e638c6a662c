import { createReadStream } from "node:fs";
import type Router from "@koa/router";
import type { Context } from "koa";
import { z } from "zod";
import type { SpooledFile } from "../../core/media/spool.ts";
import { mediaKey } from "../../core/media/storage.ts";
import { importKinds, type Detected, type ImportKindName } from "../../core/model/import.ts";
import { uploadedImportView } from "../../core/model/views/import.ts";
import { forgetFile, isAnnounced } from "../../core/services/imports/import-files.ts";
import { announceImport, completeImport } from "../../core/services/imports/imports.ts";
import type { Import } from "../../db/entities/import.ts";
import { transaction, type Tx, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../http/input.ts";
import { authorizePerson, readIp } from "../http/serve.ts";
import { refuseCrossSite } from "../http/session-auth.ts";
import { nameIn, receiveFile } from "../media/upload.ts";
import { detectUpload } from "./detect-upload.ts";

const path = "/dashboard/api/imports";
const uploadQuery = z.object({
  kind: z.enum(importKinds, `Use ${importKinds.join(" or ")}.`),
  name: z.string().optional(),
});

/**
 * Takes the bytes of a file of contacts or of a chat. Does not use `route()`, because the body is no
 * JSON. The content decides what the file is, not its name. A refused or broken upload leaves
 * nothing behind.
 */
export function mountImportUpload(deps: Deps, router: Router): void {
  router.post(path, async (ctx) => {
    ctx.state["route"] = path;
    refuseCrossSite(ctx, deps.config.publicUrl);
    const actor = await authorizePerson(deps, "admin", ctx);
    const { kind } = readQuery(ctx);
    const file = await receiveFile(deps, ctx, deps.config.importMaxBytes);
    try {
      // Each of them may hold a process that reads a file.
      const detected = await deps.fileReads.run(String(actor.accountId), () =>
        detectUpload(file.path, kind),
      );
      const origin = { ip: readIp(ctx), requestId: String(ctx.state["requestId"]) };
      const upload = { kind, name: nameIn(ctx, "name"), detected };
      const { id, state, mapping } = await store(deps, { actor, origin }, file, upload);
      ctx.status = 201;
      ctx.body = {
        success: true,
        data: uploadedImportView.parse({ id, state, detected, mapping }),
      };
    } finally {
      await file.remove();
    }
  });
}

function readQuery(ctx: Context): { kind: ImportKindName } {
  const { query } = parseInput([{ part: "query", schema: uploadQuery, value: { ...ctx.query } }]);
  return query as z.output<typeof uploadQuery>;
}

async function store(
  { dataSource, media }: Deps,
  options: TxOptions,
  { path: file, size, sha256 }: SpooledFile,
  upload: { kind: ImportKindName; name: string | null; detected: Detected },
): Promise<Import> {
  const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    await transaction(dataSource, options, work);
  const id = await run((tx) => announceImport(tx, { ...upload, size, sha256 }));
  const key = mediaKey(options.actor.accountId, `import-${id}`, "original");
  try {
    await media.storage.put(key, createReadStream(file), size);
    return await run((tx) => completeImport(tx, id, key));
  } catch (error) {
    // A purge finds what cannot be deleted now.
    await discard({ run, id, remove: () => media.storage.delete(key) }).catch(() => undefined);
    throw error;
  }
}

/** Bytes go before their row forgets them. An import whose completion did commit stays. */
async function discard({
  run,
  id,
  remove,
}: {
  run: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  id: number;
  remove: () => Promise<void>;
}): Promise<void> {
  if (!(await run((tx) => isAnnounced(tx, id)))) return;
  await remove();
  await run((tx) => forgetFile(tx, id));
}
