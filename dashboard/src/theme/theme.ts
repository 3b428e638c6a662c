import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from "@mantine/core";
import { components } from "./components.ts";
import { tokens } from "./tokens.ts";

const accent: MantineColorsTuple = [
  "#eeeefc",
  "#e4e4fb",
  "#c9c9f4",
  "#adadf3",
  "#8e8ef0",
  "#7272e3",
  "#5b5bd6",
  "#4d4dc0",
  "#4545b8",
  "#333384",
];

/** Grays of Mantine's own parts in the light theme: the grounds, lines and inks of the tokens. */
const gray: MantineColorsTuple = [
  "#f6f6f8",
  "#efeff3",
  "#e5e6eb",
  "#e5e6eb",
  "#d2d4dc",
  "#9ea1ac",
  "#646874",
  "#454852",
  "#2b2d34",
  "#17181c",
];

/** The same in the dark theme. Mantine counts them from the ink to the ground. */
const dark: MantineColorsTuple = [
  "#ececf1",
  "#c3c4cd",
  "#9a9ca8",
  "#6f717d",
  "#3a3c47",
  "#292b33",
  "#1e1f25",
  "#17181c",
  "#202127",
  "#0f1013",
];

/** A palette whose shades are never read: {@link meanings} sets the variables of these colours. */
const byMeaning = (color: string): MantineColorsTuple => [
  color,
  color,
  color,
  color,
  color,
  color,
  color,
  color,
  color,
  color,
];

/** Theme of the app: one type scale, one accent, hairlines, and colour only with a meaning. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', Inter, system-ui, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'Noto Sans Mono', Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.375rem" },
  lineHeights: { xs: "1.3334", sm: "1.5385", md: "1.5", lg: "1.5", xl: "1.2728" },
  fontWeights: { regular: "400", medium: "500", bold: "600" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.2728" },
      h2: { fontSize: "1rem", lineHeight: "1.5" },
      h3: { fontSize: "0.875rem", lineHeight: "1.5" },
      h4: { fontSize: "0.8125rem", lineHeight: "1.5385" },
      h5: { fontSize: "0.8125rem", lineHeight: "1.5385" },
      h6: { fontSize: "0.8125rem", lineHeight: "1.5385" },
    },
  },
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" },
  radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
  shadows: {
    xs: "var(--parley-shadow-card)",
    sm: "var(--parley-shadow-card)",
    md: "var(--parley-shadow-pop)",
    lg: "var(--parley-shadow-pop)",
    xl: "var(--parley-shadow-drawer)",
  },
  colors: {
    accent,
    gray,
    dark,
    ok: byMeaning("#2f9e52"),
    warn: byMeaning("#b97a06"),
    bad: byMeaning("#cf2f2f"),
    info: byMeaning("#2f8fd0"),
  },
  white: "#ffffff",
  black: "#17181c",
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 4 },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== "filled") return colors;
    const ink = input.color === "bad" ? "--parley-on-bad" : "--parley-on-accent";
    return { ...colors, color: `var(${ink})` };
  },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components,
});

/** Mantine's variables of a colour, for each of its variants. */
function meaning(color: string, from: Record<"fill" | "hover" | "soft" | "ink", string>) {
  const { fill, hover, soft, ink } = from;
  return {
    [`--mantine-color-${color}-filled`]: `var(--parley-${fill})`,
    [`--mantine-color-${color}-filled-hover`]: `var(--parley-${hover})`,
    [`--mantine-color-${color}-light`]: `var(--parley-${soft})`,
    [`--mantine-color-${color}-light-hover`]: `var(--parley-${soft})`,
    [`--mantine-color-${color}-light-color`]: `var(--parley-${ink})`,
    [`--mantine-color-${color}-outline`]: `var(--parley-${fill})`,
    [`--mantine-color-${color}-outline-hover`]: `var(--parley-${soft})`,
    [`--mantine-color-${color}-text`]: `var(--parley-${ink})`,
  };
}

const meanings = {
  ...meaning("accent", {
    fill: "accent",
    hover: "accent-hover",
    soft: "accent-soft",
    ink: "accent-ink",
  }),
  ...meaning("ok", { fill: "ok-dot", hover: "ok", soft: "ok-soft", ink: "ok" }),
  ...meaning("warn", { fill: "warn-dot", hover: "warn", soft: "warn-soft", ink: "warn" }),
  ...meaning("bad", { fill: "bad-dot", hover: "bad", soft: "bad-soft", ink: "bad" }),
  ...meaning("info", { fill: "info-dot", hover: "info", soft: "info-soft", ink: "info" }),
  ...meaning("gray", { fill: "ink-3", hover: "ink-2", soft: "sunken", ink: "ink-2" }),
  // Mantine gives the entry of a menu this shade as its ink, in both themes.
  "--mantine-color-bad-6": "var(--parley-bad)",
  "--mantine-color-body": "var(--parley-panel)",
  "--mantine-color-text": "var(--parley-ink)",
  "--mantine-color-dimmed": "var(--parley-ink-3)",
  "--mantine-color-placeholder": "var(--parley-ink-3)",
  "--mantine-color-anchor": "var(--parley-accent-ink)",
  "--mantine-color-error": "var(--parley-bad)",
  "--mantine-color-default": "var(--parley-panel)",
  "--mantine-color-default-hover": "var(--parley-sunken)",
  "--mantine-color-default-color": "var(--parley-ink)",
  "--mantine-color-default-border": "var(--parley-line)",
  "--mantine-primary-color-contrast": "var(--parley-on-accent)",
};

/**
 * Colours of both themes. A colour that differs between the themes is set here. In a style sheet
 * the build would replace light-dark() by variables that nothing sets.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...tokens.light, ...meanings },
  dark: { ...tokens.dark, ...meanings },
});
