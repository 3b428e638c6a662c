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

/** Life of a link to a file in the Dashboard, and in an answer of the REST API. */
export const dashboardLinkMs = 600_000;
export const restLinkMs = hourMs;

const mebibyte = 1_024 * 1_024;

/** Types that WhatsApp takes for a kind of file. A document may have any type. */
const whatsAppTypes: Readonly<Record<string, readonly string[]>> = {
  image: ["image/jpeg", "image/png"],
  audio: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
  video: ["video/mp4", "video/3gpp"],
};
const whatsAppBytes: Readonly<Record<string, number>> = {
  image: 5 * mebibyte,
  audio: 16 * mebibyte,
  video: 16 * mebibyte,
};

/** Reasons why a channel does not take a file, as words for programs. */
export type MediaRefusal = "too_large" | "wrong_type";

/** Bytes of the largest file of a kind that a driver sends. */
export function maxBytesOf(driver: string, kind: AttachmentKind): number {
  switch (driver) {
    case "whatsapp_cloud":
      return whatsAppBytes[kind] ?? maxMediaBytes;
    case "messenger":
    case "instagram_page":
    case "instagram_login":
      return (kind === "image" ? 8 : 25) * mebibyte;
    default:
      return maxMediaBytes;
  }
}

/** Reason why a driver does not send a file as a message of this kind; null where it does. */
export function judgeMedia(
  driver: string,
  kind: AttachmentKind,
  { mime, size }: { mime: string; size: number },
): MediaRefusal | null {
  if (size > maxBytesOf(driver, kind)) return "too_large";
  if (kind === "document") return null;
  const types = driver === "whatsapp_cloud" ? whatsAppTypes[kind] : undefined;
  const fits = types?.includes(mime) ?? mime.startsWith(`${kind}/`);
  return fits ? null : "wrong_type";
}
