const trusted = Symbol("html");

/** Markup made by `html`, the only value that other markup takes unescaped. */
export type Html = { readonly [trusted]: string };

/** Value in a template. null, undefined and false give an empty text. */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/** Markup with every value in it escaped, for text and for attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  const text = strings.map((part, index) => (index === 0 ? "" : write(pieces[index - 1])) + part);
  return { [trusted]: text.join("") };
}

/** The markup as text to send. */
export function toText(markup: Html): string {
  return markup[trusted];
}

function write(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return "";
  if (typeof piece === "string" || typeof piece === "number") return escape(String(piece));
  if (trusted in piece) return piece[trusted];
  return piece.map(write).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? "");
}
