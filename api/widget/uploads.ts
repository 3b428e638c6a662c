import { createReadStream } from "node:fs";
import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import { mediaKey } from "../../core/media/storage.ts";
import { kindOfType } from "../../core/model/media.ts";
import { visitUploadView } from "../../core/model/widget-visit.ts";
import {
  announceVisitUpload,
  completeVisitUpload,
} from "../../core/services/widgets/visit-uploads.ts";
import type { Deps } from "../deps.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { nameIn, receiveFile, requireCleanType } from "../media/upload.ts";
import { getWidget } from "./messages.ts";
import { change, mountVisitRoute, type SessionCall, type VisitAnswer } from "./visit-route.ts";

/** 10 MiB. */
const maxUploadBytes = 10 * 1_024 * 1_024;

/** Mounts the call that takes the raw bytes of a file. Its type comes from the content. */
export function mountUploads(deps: Deps, router: Router): void {
  const route = { method: "POST", path: "/uploads", isRaw: true, answer: visitUploadView } as const;
  mountVisitRoute(deps, router, route, takeUpload);
}

async function takeUpload(call: SessionCall): Promise<VisitAnswer> {
  const { deps, ctx, visit } = call;
  requireTokens(deps.widgetLimits.uploads, String(visit.sessionId));
  const { settings, isOpen } = await getWidget(deps, visit);
  if (!isOpen) throw new AppError("chat_closed");
  if (!settings.takes_files) {
    throw new AppError("media_type_refused", { message: "This chat takes no files." });
  }
  const file = await receiveFile(deps, ctx, maxUploadBytes);
  try {
    const { accountId } = visit;
    const mime = await requireCleanType(deps.media, file);
    const { size, sha256 } = file;
    const filename = nameIn(ctx, "name");
    const facts = { filename, mime, size, sha256 };
    const id = await change(call, accountId, (tx) => announceVisitUpload(tx, visit, facts));
    const key = mediaKey(accountId, `visit-${id}`, "original");
    await deps.media.storage.put(key, createReadStream(file.path), size);
    await change(call, accountId, (tx) => completeVisitUpload(tx, id, key));
    const data = { upload_id: id, kind: kindOfType(mime), mime_type: mime, size, filename };
    return { status: 201, data };
  } finally {
    await file.remove();
  }
}
