/** The members of `after` that differ from `before`. */
export function differenceOf<Body extends object>(after: Body, before: Body): Partial<Body> {
  const changed = keysOf(after).filter(
    (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, after[key]])) as Partial<Body>;
}

/** The own keys of an object, by their names in its type. */
export const keysOf = <Body extends object>(body: Body) =>
  Object.keys(body) as (keyof Body & string)[];
