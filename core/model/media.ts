import type { AttachmentKind } from "./attachment.ts";
import { dayMs, hourMs } from "./durations.ts";

/** Largest file of a message, in bytes. */
export const maxMediaBytes = 100 * 1_024 * 1_024;

/** The kind of message that a type of file makes. */
export function kindOfType(type: string): Exclude<AttachmentKind, "sticker"> {
  const [family] = type.split("/", 1);
  return family === "image" || family === "audio" || family === "video" ? family : "document";
}

/** Faults of one download. The first two may pass. */
export type DownloadFault = "gone" | "unreachable" | "too_large" | "foreign_host";

/** Life of an id of a file at WhatsApp. Each try gets a fresh address by it. */
export const mediaIdMs = 7 * dayMs;
/** Life of an address of a file at Messenger or Instagram. */
export const mediaUrlMs = hourMs;

/** A file that we send must arrive from its address within this time. */
export const outgoingUrlMs = 900_000;

/** Life of a link to a file in the Dashboard, and in an answer of the REST API. */
export const dashboardLinkMs = 600_000;
export const restLinkMs = hourMs;

const mebibyte = 1_024 * 1_024;

/** Reasons why a channel does not take a file, as words for programs. */
export type MediaRefusal = "too_large" | "wrong_type";

/** A file that a channel takes as a message of some kind. */
export interface MediaLimits {
  maxBytes: number;
  /** Types by content, such as `image/png` or `image/*`. Null: any type. */
  mimeTypes: readonly string[] | null;
}

/** Types and sizes at WhatsApp. A document may have any type. */
const whatsAppLimits: Readonly<Record<string, MediaLimits>> = {
  image: { maxBytes: 5 * mebibyte, mimeTypes: ["image/jpeg", "image/png"] },
  audio: {
    maxBytes: 16 * mebibyte,
    mimeTypes: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
  },
  video: { maxBytes: 16 * mebibyte, mimeTypes: ["video/mp4", "video/3gpp"] },
  document: { maxBytes: maxMediaBytes, mimeTypes: null },
};

/**
 * The files that a channel takes as a message of a kind. The one place that knows them.
 * @param channel the driver of a channel; a channel's name works too, and is judged as its network
 * @returns null for a kind that nobody sends
 */
export function mediaLimits(channel: string, kind: AttachmentKind): MediaLimits | null {
  if (kind === "sticker") return null;
  const mimeTypes = kind === "document" ? null : [`${kind}/*`];
  switch (channel) {
    case "whatsapp_cloud":
    case "whatsapp":
      return whatsAppLimits[kind] ?? null;
    case "messenger":
    case "facebook":
    case "instagram_page":
    case "instagram_login":
    case "instagram":
      return { maxBytes: (kind === "image" ? 8 : 25) * mebibyte, mimeTypes };
    default:
      return { maxBytes: maxMediaBytes, mimeTypes };
  }
}

/** Reason why a channel does not send a file as a message of this kind; null where it does. */
export function judgeMedia(
  channel: string,
  kind: AttachmentKind,
  { mime, size }: { mime: string; size: number },
): MediaRefusal | null {
  const limits = mediaLimits(channel, kind);
  if (limits === null) return "wrong_type";
  if (size > limits.maxBytes) return "too_large";
  const { mimeTypes } = limits;
  const family = `${mime.split("/", 1)[0]}/*`;
  return mimeTypes === null || mimeTypes.includes(mime) || mimeTypes.includes(family)
    ? null
    : "wrong_type";
}

const refusalCodes = { too_large: "media_too_large", wrong_type: "media_type_refused" } as const;

/** The code and the words for the author of a message whose file the channel does not take. */
export function describeRefusal(channel: string, kind: AttachmentKind, refusal: MediaRefusal) {
  const { maxBytes = 0, mimeTypes = null } = mediaLimits(channel, kind) ?? {};
  const types = mimeTypes?.map((type) => type.replace("/*", "")).join(", ") ?? "";
  const message =
    refusal === "too_large"
      ? `This channel takes at most ${maxBytes / mebibyte} MiB for a file of type ${kind}. Send a smaller file.`
      : `As ${kind} this channel takes ${types === "" ? "no file" : types}. Send the file as a document, or convert it.`;
  return { code: refusalCodes[refusal], message, provider_code: null };
}

/** Longest caption of a file at WhatsApp. A longer one goes as a text of its own. */
const maxCaptionLength = 1_024;

/**
 * @returns true where a channel takes no such caption with the file, so that the caption follows as a
 * message of its own
 */
export function isCaptionApart(
  driver: string,
  kind: AttachmentKind,
  caption: string | null,
): boolean {
  if (caption === null || driver === "sandbox" || driver === "web") return false;
  return driver !== "whatsapp_cloud" || kind === "audio" || caption.length > maxCaptionLength;
}

/** @returns true where a network takes no uploads, and reads a file by a link */
export function isLinked(driver: string): boolean {
  return driver === "instagram_login";
}
