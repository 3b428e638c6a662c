/** Stands for a masked text. */
const mask = "•••";

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
/** Eight digits or more, as people write a phone. */
const phone =
  /(?<![\p{L}\p{N}$€.,:/-])(?:\+|00)?\(?\d(?:[ ().-]{0,2}\d){7,14}(?![\p{L}\p{N}]|[.,:/-]\d)/gu;
const day = /^\d{4}-\d{2}-\d{2}$/u;
/** Shorter words of a name are common words too. */
const minNameLength = 3;

/**
 * Masks emails, phones and the words of names, so that a text of one customer can serve others.
 * Other personal data stays: a person reads the text before it is used.
 */
export function maskPersonal(text: string, names: readonly (string | null)[]): string {
  const words = names
    .flatMap((name) => (name ?? "").split(/\s+/u))
    .filter((word) => Array.from(word).length >= minNameLength)
    .map((word) => word.toLocaleLowerCase());
  return text
    .replaceAll(email, mask)
    .replaceAll(phone, (found) => (day.test(found) ? found : mask))
    .replaceAll(/\p{Lu}[\p{L}\p{M}'’]*/gu, (word) =>
      words.includes(word.toLocaleLowerCase()) ? mask : word,
    );
}
