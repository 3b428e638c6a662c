/** A piece of a line. Nothing here is HTML: the panel makes one element for each piece. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "bold" | "italic"; children: Inline[] }
  | { kind: "link"; href: string; text: string }
  | { kind: "break" };

/** A part of a message. */
export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "list"; start: number | null; items: Inline[][] }
  | { kind: "code"; text: string };

const allowedSchemes = new Set(["http:", "https:", "mailto:", "tel:"]);

/**
 * Reads the address of a link.
 * @returns the address in its plain form, a host as punycode; null for any scheme but http, https,
 *   mailto and tel
 */
export function readLink(text: string): string | null {
  // Browsers skip these, so that a checker may read another scheme than they do.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f]/u.test(text)) return null;
  try {
    const url = new URL(text);
    return allowedSchemes.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Words of a bare link. A host with letters of other scripts is shown as punycode, so that it cannot
 * pass for another one.
 */
function wordsOfLink(text: string, href: string): string {
  // oxlint-disable-next-line no-control-regex
  return /^[\u0000-\u007f]*$/u.test(text) ? text : href;
}

const bareLink = /(?:https?:\/\/|www\.)[^\s<>"]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/giu;

/** Splits plain text at its links and line ends. Visitors' texts go through this alone. */
export function splitLinks(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(bareLink)) {
    const shown = trimEnd(match[0]);
    const href = readLink(
      /^https?:/iu.test(shown)
        ? shown
        : shown.includes("@")
          ? `mailto:${shown}`
          : `https://${shown}`,
    );
    if (href === null) continue;
    pushLines(found, text.slice(at, match.index));
    found.push({ kind: "link", href, text: wordsOfLink(shown, href) });
    at = match.index + shown.length;
  }
  pushLines(found, text.slice(at));
  return found;
}

/** Punctuation after a link belongs to the sentence, and so does a bracket that it did not open. */
function trimEnd(link: string): string {
  let end = link.replace(/[.,;:!?'"*_]+$/u, "");
  while (end.endsWith(")") && !end.includes("(")) end = end.slice(0, -1).replace(/[.,;:!?]+$/u, "");
  return end;
}

function pushLines(into: Inline[], text: string): void {
  text.split("\n").forEach((line, index) => {
    if (index > 0) into.push({ kind: "break" });
    if (line !== "") into.push({ kind: "text", text: line });
  });
}

const marks =
  /`([^`\n]+)`|\[([^\]\n]{1,300})\]\(([^\s()]{1,2000}(?:\([^\s()]*\)[^\s()]*)?)\)|\*\*(\S(?:[^\n]*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*\n]*?\S)?)\*(?![\w*])|(?<!\w)_(\S(?:[^_\n]*?\S)?)_(?!\w)/gu;

/** Deepest nesting of marks. */
const maxDepth = 3;

function readInline(text: string, depth = 0): Inline[] {
  if (depth >= maxDepth) return splitLinks(text);
  const found: Inline[] = [];
  let at = 0;
  // An underscore or a star within an address is no mark.
  const links = [...text.matchAll(bareLink)].map(
    ({ index, 0: link }) => [index, index + link.length] as const,
  );
  for (const match of text.matchAll(marks)) {
    const [all, code, label, address, bold, star, underscore] = match;
    if (match.index < at) continue;
    if (label === undefined && links.some(([from, to]) => match.index > from && match.index < to))
      continue;
    const node = readMark({ code, label, address, bold, italic: star ?? underscore }, depth);
    if (node === null) continue;
    found.push(...splitLinks(text.slice(at, match.index)), node);
    at = match.index + all.length;
  }
  found.push(...splitLinks(text.slice(at)));
  return found;
}

interface Mark {
  code?: string | undefined;
  label?: string | undefined;
  address?: string | undefined;
  bold?: string | undefined;
  italic?: string | undefined;
}

function readMark({ code, label, address, bold, italic }: Mark, depth: number): Inline | null {
  if (code !== undefined) return { kind: "code", text: code };
  if (label !== undefined) {
    const href = readLink(address ?? "");
    return href === null ? null : { kind: "link", href, text: label };
  }
  if (bold !== undefined) return { kind: "bold", children: readInline(bold, depth + 1) };
  return { kind: "italic", children: readInline(italic ?? "", depth + 1) };
}

const item = /^\s{0,3}(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/u;

/**
 * Reads the small part of Markdown that chats use: bold, italic, code, links, lists and blocks of code.
 * Everything else stays text.
 */
export function tokenize(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const endParagraph = (): void => {
    const joined = lines.join("\n").replace(/^\n+|\n+$/gu, "");
    if (joined !== "") blocks.push({ kind: "paragraph", children: readInline(joined) });
    lines = [];
  };
  const all = text.replaceAll(/\r\n?/gu, "\n").split("\n");
  for (let at = 0; at < all.length; at += 1) {
    const line = all[at] ?? "";
    const end = line.trimStart().startsWith("```") ? all.indexOf("```", at + 1) : -1;
    const found = item.exec(line);
    if (end !== -1) {
      endParagraph();
      blocks.push({ kind: "code", text: all.slice(at + 1, end).join("\n") });
      at = end;
    } else if (found !== null) {
      endParagraph();
      pushItem(blocks, found, (all[at - 1] ?? "").trim() !== "");
    } else if (line.trim() === "") endParagraph();
    else lines.push(line);
  }
  endParagraph();
  return blocks;
}

function pushItem(blocks: Block[], found: RegExpExecArray, follows: boolean): void {
  const start = found[1] === undefined ? null : Number(found[1]);
  const words = readInline(found[2] ?? "");
  const last = blocks.at(-1);
  const isSame = last?.kind === "list" && (last.start === null) === (start === null);
  if (isSame && (follows || start !== 1)) last.items.push(words);
  else blocks.push({ kind: "list", start, items: [words] });
}
