/** A colour as `#0d6e68`. */
export const hexColour = /^#[0-9a-f]{6}$/u;

/** Contrast that WCAG AA asks of text. */
const minContrast = 4.5;
/** Panels that an accent stands on, and words on an accent in the dark theme. */
const white = "#ffffff";
const darkPanel = "#17181c";

/** The accent of a booking page, with the colours that follow from it. */
export interface AccentColours {
  /** Ground of buttons, and ink of links. */
  accent: string;
  /** Words on the accent. */
  onAccent: string;
  soft: string;
  line: string;
}

/** Colours of both themes. Words on the accent, on its soft ground and beside it hold AA. */
export function accentColours(hex: string): Record<"light" | "dark", AccentColours> {
  const softLight = mix(hex, white, 0.88);
  const softDark = mix(hex, darkPanel, 0.82);
  const light = shift(hex, "#000000", [white, softLight]);
  const dark = shift(hex, white, [darkPanel, softDark]);
  return {
    light: { accent: light, onAccent: white, soft: softLight, line: mix(hex, white, 0.62) },
    dark: { accent: dark, onAccent: darkPanel, soft: softDark, line: mix(hex, darkPanel, 0.55) },
  };
}

/** Contrast of two colours after WCAG, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The colour, moved toward another one until it is readable on every ground. */
function shift(hex: string, toward: string, grounds: string[]): string {
  for (let part = 0; part < 1; part += 0.02) {
    const colour = mix(hex, toward, part);
    if (grounds.every((ground) => contrastOf(colour, ground) >= minContrast)) return colour;
  }
  return toward;
}

/** @param part 0 gives `one`, 1 gives `other`. */
function mix(one: string, other: string, part: number): string {
  const to = channelsOf(other);
  const mixed = channelsOf(one).map((value, index) => value + ((to[index] ?? 0) - value) * part);
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex).map((value) => {
    const share = value / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}
