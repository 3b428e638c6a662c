/** A piece of a text: plain, or a URL to link to. */
export interface TextPart {
  text: string;
  href: string | null;
}

const urls = /\bhttps?:\/\/[^\s<>"'`]+/giu;
const closers: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Splits a text at its http and https URLs. Punctuation of the sentence stays outside the URL. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(urls)) {
    const url = trimEnd(found);
    if (!isWebUrl(url)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), href: null });
    parts.push({ text: url, href: url });
    end = index + url.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

/** @returns true for a complete http or https URL. A script or data URL is never linked. */
export function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol);
}

/**
 * A closing bracket belongs to the URL where its opening bracket does. Brackets are counted once,
 * because a message may hold thousands of them.
 */
function trimEnd(url: string): string {
  const unopened = new Map(
    Object.entries(closers).map(([closer, opener]) => [
      closer,
      url.split(closer).length - url.split(opener).length,
    ]),
  );
  let end = url.length;
  for (;;) {
    const last = url[end - 1] ?? "";
    const excess = unopened.get(last);
    const isOutside = excess === undefined ? ".,;:!?*_~…»”’".includes(last) : excess > 0;
    if (!isOutside) return url.slice(0, end);
    if (excess !== undefined) unopened.set(last, excess - 1);
    end -= 1;
  }
}
