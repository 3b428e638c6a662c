import { toWellFormed } from "../../model/wire.ts";

/** A value of a model without what a JSON column refuses: half of a surrogate pair, `undefined`. */
export function toStorable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (_key, part: unknown) =>
    typeof part === "string" ? toWellFormed(part) : part,
  );
  return JSON.parse(text) as unknown;
}
