/** Countries whose code has one or two digits; every other code has three. */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/u;

/** Numbers whose groups differ from those of other numbers of their length. */
const ownGroups: { digits: RegExp; sizes: number[] }[] = [
  // Mexican cities with an area code of two digits.
  { digits: /^52(?:55|56|33|81)\d{8}$/u, sizes: [2, 4, 4] },
  // Argentine mobiles.
  { digits: /^549\d{10}$/u, sizes: [1, 2, 4, 4] },
];

/** A phone as people write it: `+52 55 1234 5678`. `digits` begin with the country code. */
export function phoneText(digits: string): string {
  const dialled = dialledDigits(digits);
  const code = shortCodes.exec(dialled)?.[0] ?? dialled.slice(0, 3);
  const rest = dialled.slice(code.length);
  const own = ownGroups.find((one) => one.digits.test(dialled));
  const sizes = own?.sizes ?? groups[rest.length] ?? [rest.length];
  let start = 0;
  const parts = sizes.map((size) => rest.slice(start, (start += size)));
  return `+${[code, ...parts].join(" ")}`;
}

/** Sizes of the groups of a national number, by its length. */
const groups: Record<number, number[]> = {
  7: [3, 4],
  8: [4, 4],
  9: [3, 3, 3],
  10: [3, 3, 4],
  11: [2, 5, 4],
  12: [4, 4, 4],
};

/** URL that dials a phone. */
export function phoneUrl(digits: string): string {
  return `tel:+${dialledDigits(digits)}`;
}

/** WhatsApp still writes Mexican mobiles with a 1 that nobody dials since 2019. */
function dialledDigits(digits: string): string {
  return digits.replace(/^521(\d{10})$/u, "52$1");
}
