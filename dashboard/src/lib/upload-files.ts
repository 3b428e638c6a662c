import i18next from "i18next";
import { judgeMedia, kindOfType, mediaLimits } from "../../../core/model/media.ts";
import { ApiError } from "./api.ts";
import { errorText } from "./error-text.ts";
import { fetchAllTexts } from "./i18n.ts";
import { tellWithActions } from "./notify.ts";
import { newToken } from "./token.ts";
import { changeAttachments, type Attachment } from "./attachments.ts";

const path = "/dashboard/api/media";
const mebibyte = 1_024 * 1_024;

/** Requests under way, by the id of their file. */
const underWay = new Map<string, XMLHttpRequest>();

/** Attaches files to a draft, and uploads those that its channel takes. */
export async function attachFiles(
  key: string,
  channel: string,
  files: readonly File[],
): Promise<void> {
  await fetchAllTexts();
  const added = files.flatMap((file): Attachment[] => {
    const kind = chooseKind(channel, file);
    if (kind === null) return [];
    return [{ id: newToken(), file, kind, uploadId: null, progress: 0, error: null }];
  });
  changeAttachments(key, (before) => [...before, ...added]);
  for (const one of added) upload(key, channel, one);
}

/** Says that files cannot be attached here. */
export async function refuseFiles(): Promise<void> {
  await fetchAllTexts();
  const message = i18next.t("attach.not_here");
  tellWithActions({ id: "attach", color: "bad", title: message, message: "", actions: [] });
}

/** Takes a file from a draft, and ends its upload. */
export function dropFile(key: string, id: string): void {
  changeAttachments(key, (files) => files.filter((one) => one.id !== id));
  underWay.get(id)?.abort();
}

/** Uploads a file again whose upload failed. */
export function retryFile(key: string, channel: string, file: Attachment): void {
  patch(key, file.id, { error: null, progress: 0 });
  upload(key, channel, file);
}

/**
 * The kind of message for a file. A picture that the channel does not take as one goes as a
 * document. Null, with a notice, for a file that is empty or too large.
 */
function chooseKind(
  channel: string,
  { name, type, size }: Pick<File, "name" | "type" | "size">,
): Attachment["kind"] | null {
  const refuse = (message: string): null => {
    const title = i18next.t("attach.refused", { name });
    tellWithActions({ id: `attach-${name}`, color: "bad", title, message, actions: [] });
    return null;
  };
  if (size === 0) return refuse(i18next.t("attach.empty"));
  const own = kindOfType(type);
  const kinds = [own, "document"] as const;
  const fitting = kinds.find((kind) => judgeMedia(channel, kind, { mime: type, size }) === null);
  const { maxBytes = 0 } = mediaLimits(channel, "document") ?? {};
  return fitting ?? refuse(i18next.t("attach.too_large", { count: maxBytes / mebibyte }));
}

function upload(key: string, channel: string, { id, file }: Attachment): void {
  const request = new XMLHttpRequest();
  underWay.set(id, request);
  request.open("POST", `${path}?filename=${encodeURIComponent(file.name)}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    patch(key, id, { progress: total === 0 ? 0 : loaded / total });
  });
  request.addEventListener("loadend", () => {
    underWay.delete(id);
    const answer = request.response as Answer | null;
    if (request.status === 201 && answer?.data !== undefined) {
      const { id: uploadId, mime_type: type } = answer.data;
      // The name of a file may lie about its type. Only the server has looked inside.
      const kind = chooseKind(channel, { name: file.name, type, size: file.size });
      if (kind === null) dropFile(key, id);
      else patch(key, id, { uploadId, kind, progress: 1 });
      return;
    }
    patch(key, id, { error: errorText(errorOf(answer)) });
  });
  request.send(file);
}

interface Answer {
  data?: { id: number; mime_type: string };
  error?: { code: string; message: string };
}

function errorOf(answer: Answer | null): ApiError {
  const { code, message } = answer?.error ?? { code: "network", message: "" };
  return new ApiError({ code, message, details: null, retryAfterSeconds: null });
}

/** Changes a file of a draft. A file that was taken away meanwhile stays away. */
function patch(key: string, id: string, change: Partial<Attachment>): void {
  changeAttachments(key, (files) =>
    files.map((one) => (one.id === id ? { ...one, ...change } : one)),
  );
}
