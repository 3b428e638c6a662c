import { accentColours, type AccentColours } from "../../core/model/accent.ts";

/** The accent of pages whose account has chosen none: that of Parley. */
export const standardAccent = "#5b5bd6";

/** Style sheet with an accent in both themes. It depends on the colour alone. */
export function brandCss(hex: string): string {
  const { light, dark } = accentColours(hex);
  return `:root{${variables(light)}}@media (prefers-color-scheme:dark){:root{${variables(dark)}}}\n`;
}

function variables({ accent, onAccent, soft, line }: AccentColours): string {
  return `--accent:${accent};--on-accent:${onAccent};--accent-soft:${soft};--accent-line:${line}`;
}
