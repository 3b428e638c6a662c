import type { SecretBox } from "../secrets.ts";
import type { MediaVariant } from "./storage.ts";

/** A file that a link names, and how a browser may show it. */
export interface MediaGrant {
  accountId: number;
  mediaId: number;
  variant: MediaVariant;
  /** `inline` shows the file in a page if its type allows it. */
  disposition: "inline" | "attachment";
}

const variants = { o: "original", t: "thumbnail" } as const;
const dispositions = { i: "inline", a: "attachment" } as const;
const form =
  /^(([1-9]\d{0,14})\.([1-9]\d{0,14})\.([ot])([ia])\.([1-9a-z][0-9a-z]{4,9}))\.([\w-]{43})$/u;
const minuteMs = 60_000;

/** Signs the token of a link. The signature covers every member of the grant and the expiry. */
export function signMediaToken(secretBox: SecretBox, grant: MediaGrant, expiresAt: Date): string {
  const { accountId, mediaId, variant, disposition } = grant;
  // In whole minutes, so that a page that is read again soon keeps its links.
  const minute = Math.ceil(expiresAt.getTime() / minuteMs);
  const flags = `${variant === "original" ? "o" : "t"}${disposition === "inline" ? "i" : "a"}`;
  const text = `${accountId}.${mediaId}.${flags}.${minute.toString(36)}`;
  return `${text}.${secretBox.sign(text, purpose)}`;
}

/** @returns null for a token that nobody signed, or that has expired */
export function openMediaToken(secretBox: SecretBox, token: string, now: Date): MediaGrant | null {
  const [, text = "", account, media, variant, disposition, minute = "", signature = ""] =
    form.exec(token) ?? [];
  if (text === "" || !isCanonical(signature)) return null;
  if (!secretBox.isSigned(text, purpose, signature)) return null;
  if (Number.parseInt(minute, 36) * minuteMs <= now.getTime()) return null;
  return {
    accountId: Number(account),
    mediaId: Number(media),
    variant: variants[variant as keyof typeof variants],
    disposition: dispositions[disposition as keyof typeof dispositions],
  };
}

/** The last character has bits without a meaning, and other bits would make a second spelling. */
function isCanonical(signature: string): boolean {
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

/** A signature for another purpose opens no file. */
const purpose = "media";
