/** Text without case and accents, as the server compares it, with the place of each character. */
function fold(text: string): { folded: string; places: number[] } {
  const places: number[] = [];
  let folded = "";
  let place = 0;
  for (const character of text) {
    const plain = character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
    folded += plain;
    for (let at = 0; at < plain.length; at += 1) places.push(place);
    place += character.length;
  }
  places.push(place);
  return { folded, places };
}

/** Places of `query` in `text`, each as its first and its last character plus one. */
export function findPlaces(text: string, query: string): [number, number][] {
  const { folded, places } = fold(text);
  const wanted = fold(query).folded;
  const found: [number, number][] = [];
  if (wanted === "") return found;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
    found.push([places[at] ?? 0, places[at + wanted.length] ?? text.length]);
  }
  return found;
}
