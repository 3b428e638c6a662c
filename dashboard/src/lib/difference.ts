/** The members of `after` that differ from `before`. */
export function differenceOf<Body extends object>(after: Body, before: Body): Partial<Body> {
  const changed = keysOf(after).filter(
    (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, after[key]])) as Partial<Body>;
}

/**
 * The saved values, with everything on top that a person changed since `before`. Objects are walked,
 * and a list is one value.
 */
export function rebase<Value>(saved: Value, typed: Value, before: Value): Value {
  if (JSON.stringify(typed) === JSON.stringify(before)) return saved;
  if (!isRecord(saved) || !isRecord(typed) || !isRecord(before)) return typed;
  const members = keysOf(typed).map((key) => [key, rebase(saved[key], typed[key], before[key])]);
  return { ...saved, ...Object.fromEntries(members) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own keys of an object, by their names in its type. */
export const keysOf = <Body extends object>(body: Body) =>
  Object.keys(body) as (keyof Body & string)[];
