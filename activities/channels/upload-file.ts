import type { Readable } from "node:stream";
import { buildUploadRequest, readUploadResult } from "../../core/channels/meta/upload-request.ts";
import { safeFileName } from "../../core/media/file-name.ts";
import { unknownType } from "../../core/media/media-type.ts";
import { isMetaDriver } from "../../core/model/channels.ts";
import type {
  UploadMaterial,
  UploadResult,
} from "../../core/services/conversations/message-uploads.ts";
import { fileKindOf } from "./file-kind.ts";
import type { Graph } from "./graph.ts";
import type { SendAccess } from "./port.ts";

/** For the whole file, in milliseconds. */
const uploadTimeoutMs = 120_000;

/** Gives a file to Meta. Never throws for errors of Meta or of the network. */
export async function uploadToMeta(
  graph: Graph,
  { file, driver, from: externalId, parentId }: UploadMaterial,
  access: SendAccess | null,
  content: Readable,
): Promise<UploadResult> {
  if (access === null) {
    return { kind: "blocked", state: "needs_reauth", providerCode: "no_token" };
  }
  if (!isMetaDriver(driver)) throw new Error(`${driver} is no driver of Meta.`);
  const mime = file.mime ?? unknownType;
  const kind = fileKindOf(file.kind);
  const request = buildUploadRequest({ driver, externalId, parentId }, { kind, mime });
  if (request === null) throw new Error(`${driver} takes no uploads.`);
  const filename = safeFileName(file.filename, mime);
  const exchange = await graph.call({
    base: request.host,
    method: "POST",
    path: request.path,
    form: {
      fields: request.fields,
      file: { name: request.fileField, filename, mime, size: file.size ?? 0, content },
    },
    ...access,
    timeoutMs: uploadTimeoutMs,
  });
  const result = readUploadResult(exchange);
  return result.kind === "transient" ? { ...result, waitMs: 0 } : result;
}
