import type { MetaSender, GraphHost, FileKind } from "./send-request.ts";
import { readFields, readMessageId } from "./read-json.ts";
import { readSendResult, type MetaSendResult, type SendExchange } from "./send-result.ts";

/** A file that goes to Meta before its message. */
export interface UploadFile {
  kind: FileKind;
  /** Type by its content. */
  mime: string;
}

/** A form for the Graph API. `path` begins after the version. */
export interface UploadRequest {
  host: GraphHost;
  path: string;
  fields: Readonly<Record<string, string>>;
  /** Name of the field with the bytes. */
  fileField: string;
}

/**
 * The request that gives a file to Meta, which answers with an id.
 * @returns null for Instagram Login: it takes no uploads, and reads the file by a link
 */
export function buildUploadRequest(
  { driver, externalId, parentId }: MetaSender,
  file: UploadFile,
): UploadRequest | null {
  const at = (id: string, edge: string) => ({
    host: "graph" as const,
    path: `/${encodeURIComponent(id)}/${edge}`,
  });
  switch (driver) {
    case "whatsapp_cloud": {
      const fields = { messaging_product: "whatsapp", type: file.mime };
      return { ...at(externalId, "media"), fields, fileField: "file" };
    }
    case "messenger": {
      const fields = { message: attachmentOf(file) };
      return { ...at(externalId, "message_attachments"), fields, fileField: "filedata" };
    }
    case "instagram_page": {
      const fields = { platform: "instagram", message: attachmentOf(file) };
      const page = parentId ?? externalId;
      return { ...at(page, "message_attachments"), fields, fileField: "filedata" };
    }
    case "instagram_login":
      return null;
  }
}

function attachmentOf({ kind }: UploadFile): string {
  const type = kind === "document" ? "file" : kind;
  return JSON.stringify({ attachment: { type, payload: { is_reusable: true } } });
}

/** Result of one upload. An upload without an answer may be made again: no customer sees it. */
export type MetaUploadResult =
  | { kind: "uploaded"; id: string }
  | Exclude<MetaSendResult, { kind: "accepted" | "unknown" }>;

/** Reads the result of an upload from its exchange. */
export function readUploadResult(exchange: SendExchange): MetaUploadResult {
  if (exchange.answered && exchange.statusCode >= 200 && exchange.statusCode < 300) {
    const fields = readFields(exchange.body);
    const id = readMessageId(fields?.["attachment_id"] ?? fields?.["id"]);
    if (id !== null) return { kind: "uploaded", id };
  }
  const result = readSendResult(exchange);
  switch (result.kind) {
    case "accepted":
    case "unknown":
      return { kind: "transient", scope: "provider", providerCode: null };
    case "permanent":
      return { ...result, error: { ...refusedFile, provider_code: result.error.provider_code } };
    case "transient":
    case "blocked":
      return result;
  }
}

const refusedFile = { code: "media_unavailable", message: "The channel refused the file." };
