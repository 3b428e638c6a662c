import { extensionOf, unknownType } from "./media-type.ts";

const maxCharacters = 120;
/** Controls, and marks that show a name backwards: `gpj.exe` would read `exe.jpg`. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
/** Characters that a file system refuses. */
const refused = /[<>:"|?*]/gu;
/** Names of devices on Windows. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

const sameEndings: Readonly<Record<string, readonly string[]>> = {
  jpg: ["jpg", "jpeg", "jpe"],
  m4a: ["m4a", "mp4"],
  ogg: ["ogg", "oga", "opus"],
  mp4: ["mp4", "m4v"],
  "3gp": ["3gp", "3gpp"],
};

/**
 * A name under which a file can be saved. It has no path, nothing invisible, and the ending of its
 * type.
 * @param given name by its sender; null without one
 * @param type by its content
 */
export function safeFileName(given: string | null, type: string): string {
  const last = (given ?? "").normalize("NFC").split(/[/\\]/u).at(-1) ?? "";
  const bare = last
    .replace(invisible, "")
    .replace(refused, "_")
    .replace(/\s+/gu, " ")
    .replace(/^[. ]+|[. ]+$/gu, "");
  const name = devices.test(bare) ? `_${bare}` : bare;
  return withEnding(name === "" ? "file" : name, type);
}

function withEnding(name: string, type: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  const wanted = extensionOf(type);
  const fits = (sameEndings[wanted] ?? [wanted]).includes(ending);
  if (fits || (type === unknownType && ending !== "")) return cut(name, dot);
  return `${cut(name, name.length)}.${wanted}`;
}

/** Shortens the part before the ending. */
function cut(name: string, dot: number): string {
  const ending = name.slice(dot);
  const room = Math.max(1, maxCharacters - Array.from(ending).length);
  const stem = Array.from(name.slice(0, dot)).slice(0, room).join("");
  return stem + Array.from(ending).slice(0, maxCharacters).join("");
}

/**
 * The header `Content-Disposition` with a name. Old programs read `filename`, the others
 * `filename*`. Source: RFC 6266 and RFC 8187.
 */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
