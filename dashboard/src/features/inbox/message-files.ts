import type { AttachmentState } from "../../../../core/model/attachment.ts";
import type { MessageView } from "../../../../core/model/message.ts";
import { isWebUrl } from "../../lib/linkify.ts";

/** A file of a message, as the thread shows it. */
export interface MessageFile {
  /** Unique in the conversation. */
  key: string;
  kind: MessageView["type"];
  /** Null while the file is not stored, and where it never will be. */
  url: string | null;
  /** Smaller picture of an image. */
  thumbnail: string | null;
  state: AttachmentState;
  name: string | null;
}

/** Files of a message. A URL that is no web address is left out. */
export function filesOf({ id, attachments, media, type }: MessageView): MessageFile[] {
  if (attachments.length === 0) {
    if (media === null || !isWebUrl(media.url)) return [];
    const { url } = media;
    return [{ key: `${id}-0`, kind: type, url, thumbnail: null, state: "ready", name: null }];
  }
  return attachments.flatMap((file, index): MessageFile[] => {
    const { kind, state, filename: name } = file;
    const url = state === "ready" ? file.url : null;
    if (state === "ready" && (url === null || !isWebUrl(url))) return [];
    const thumbnail = url === null ? null : file.thumbnail_url;
    return [{ key: `${id}-${index}`, kind, url, thumbnail, state, name }];
  });
}

/** File name in a URL, decoded where possible; else the host. */
export function fileName(url: string): string {
  const { pathname, host } = new URL(url);
  const last = pathname.split("/").at(-1) ?? "";
  if (last === "") return host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
