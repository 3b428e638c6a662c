import { fileTypeFromFile } from "file-type";

/** Type of a file whose content no rule here knows. */
export const unknownType = "application/octet-stream";

const office = "application/vnd.openxmlformats-officedocument";

/** Types that are told apart. Any other content is `application/octet-stream`. */
const knownTypes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "audio/aac",
  "audio/amr",
  "audio/mp4",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "video/3gpp",
  "video/mp4",
  "video/quicktime",
  "video/webm",
  "application/pdf",
  "application/zip",
  `${office}.wordprocessingml.document`,
  `${office}.spreadsheetml.sheet`,
  `${office}.presentationml.presentation`,
]);

/** Other names of a known type. */
const aliases: Readonly<Record<string, string>> = {
  "audio/x-m4a": "audio/mp4",
  "audio/vnd.wave": "audio/wav",
  "audio/opus": "audio/ogg",
};

/**
 * Types that a browser shows in the page. None of them can hold a script: SVG and HTML are missing
 * on purpose.
 */
const inlineTypes: ReadonlySet<string> = new Set(
  [...knownTypes].filter(
    (type) => /^(image|audio)\//u.test(type) || type === "video/mp4" || type === "video/webm",
  ),
);

/** @returns true for a type that may be shown in a page */
export function isInlineType(type: string): boolean {
  return inlineTypes.has(type);
}

/**
 * The type of a file by its first bytes. Neither its name nor its sender is asked, so a page that
 * calls itself a picture is none.
 */
export async function readMediaType(path: string): Promise<string> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const [mime = ""] = (found?.mime ?? "").split(";", 1);
  const type = aliases[mime] ?? mime;
  return knownTypes.has(type) ? type : unknownType;
}

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/aac": "aac",
  "audio/amr": "amr",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "video/3gpp": "3gp",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "application/pdf": "pdf",
  "application/zip": "zip",
  [`${office}.wordprocessingml.document`]: "docx",
  [`${office}.spreadsheetml.sheet`]: "xlsx",
  [`${office}.presentationml.presentation`]: "pptx",
};

/** The usual ending of a type without its dot; `bin` for an unknown one. */
export function extensionOf(type: string): string {
  return extensions[type] ?? "bin";
}
