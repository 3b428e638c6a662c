// The Dashboard shows these lists, so this file imports nothing.

/** Charsets of a table in a text file. */
export const importCharsets = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type ImportCharset = (typeof importCharsets)[number];

/** Delimiters of a table in a text file that are detected. A person may name another one. */
export const importDelimiters = [",", ";", "\t", "|"] as const;
