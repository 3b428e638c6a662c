import { AppError } from "../../core/errors.ts";

/** Maximum nesting of objects and lists, including the outermost. */
const maxDepth = 32;

/**
 * Parses a JSON text in UTF-8 that has the same meaning for every parser. No object has a member
 * twice or one called `__proto__`, and the depth is at most 32.
 * @throws AppError `invalid_json`, whose message names the problem.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  const value = parse(text);
  // Only after parsing: in valid JSON every bracket outside a string has its partner.
  inspect(text);
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid("The body is not valid JSON.");
  }
}

/**
 * Scans a valid JSON text from bracket to bracket. `open` holds the names of each object, null for
 * a list.
 */
function inspect(text: string): void {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{" || character === "[") {
      open.push(character === "{" ? new Set() : null);
      if (open.length > maxDepth) throw invalid(`The body has more than ${maxDepth} levels.`);
    } else if (character === "}" || character === "]") {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (isName(text, end)) addName(open.at(-1) ?? null, text.slice(at, end + 1));
      at = end;
    }
  }
}

/** Position of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** True if a colon follows, which happens only after a member's name. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (/[\t\n\r ]/.test(text[at] ?? "")) at += 1;
  return text[at] === ":";
}

function addName(names: Set<string> | null, quoted: string): void {
  const name = JSON.parse(quoted) as string;
  if (name === "__proto__") throw invalid("No member of the body may be called __proto__.");
  if (names?.has(name)) throw invalid("An object of the body has the same member twice.");
  names?.add(name);
}

function invalid(message: string): AppError {
  return new AppError("invalid_json", { message });
}
