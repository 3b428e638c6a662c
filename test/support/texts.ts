/** Texts of a language, by key and group. */
export type TextTree = { [key: string]: string | TextTree };

/** `people.title` and its text, for every text. */
export function flattenTexts(tree: TextTree, prefix = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[prefix + key, value] as [string, string]]
      : flattenTexts(value, `${prefix}${key}.`),
  );
}
