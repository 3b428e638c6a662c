import { toWellFormed } from "../../model/wire.ts";

/** Levels of a value that are kept. MySQL stores 100, of which an item needs a few itself. */
const maxDepth = 40;

/**
 * A copy of parsed JSON that MySQL can store: what is nested too deeply is left out as null, and
 * half a surrogate pair becomes a replacement character.
 */
export function storableJson(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return toWellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => storableJson(one, depth + 1));
  const copied = Object.entries(value).map(
    ([name, one]) => [toWellFormed(name), storableJson(one, depth + 1)] as const,
  );
  return Object.fromEntries(copied);
}
