import type { ByteRange } from "../../core/media/storage.ts";

/**
 * The range that a request asks for, within a file of `size` bytes. Source: RFC 9110, 14.1.2.
 * @returns null for the whole file: no range, several ranges, another unit, or no valid range.
 * `unsatisfiable` for a range behind the end of the file.
 */
export function readByteRange(header: string, size: number): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/u.exec(header.trim()) ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "unsatisfiable" : { start, end };
}
