import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from "@mantine/core";

const accent: MantineColorsTuple = [
  "#f3f3fe",
  "#e4e4fb",
  "#cbcbf7",
  "#adadf3",
  "#8e8ef0",
  "#7272e3",
  "#5b5bd6",
  "#4d4dc0",
  "#4040a3",
  "#333384",
];

const dark: MantineColorsTuple = [
  "#ececf1",
  "#c3c4cd",
  "#9a9ca8",
  "#6f717d",
  "#3c3e48",
  "#2d2f37",
  "#212229",
  "#17181c",
  "#111215",
  "#0b0c0e",
];

/** Mantine's own red is too light under white text. */
const red: MantineColorsTuple = [
  "#fff1f1",
  "#ffdfdf",
  "#ffc2c2",
  "#ff9d9d",
  "#f97878",
  "#ea4d4d",
  "#d12c2c",
  "#b62222",
  "#931d1d",
  "#741919",
];

/** The header of a dialog is no landmark of the page. The title may take several lines. */
const dialogProps = {
  attributes: { header: { role: "none" } },
  styles: { title: { lineHeight: 1.4 } },
};

/** Theme of the app: Inter at 14 px, one accent, radius 8, hairlines instead of shadows. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.4" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
      h4: { fontSize: "0.8125rem", lineHeight: "1.4" },
      h5: { fontSize: "0.8125rem", lineHeight: "1.4" },
      h6: { fontSize: "0.8125rem", lineHeight: "1.4" },
    },
  },
  colors: { accent, dark, red },
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 4 },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    return input.variant === "filled" ? { ...colors, color: "var(--parley-on-filled)" } : colors;
  },
  defaultRadius: "md",
  radius: { md: "8px" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Badge: {
      defaultProps: { tt: "none", fw: 500, radius: "sm", variant: "light", miw: "max-content" },
    },
    Button: { defaultProps: { size: "sm" } },
    TextInput: { defaultProps: { size: "sm" } },
    PasswordInput: { defaultProps: { size: "sm" } },
    Modal: {
      defaultProps: { centered: true, transitionProps: { duration: 120 }, ...dialogProps },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 120 }, ...dialogProps } },
    Menu: { defaultProps: { transitionProps: { duration: 100 }, shadow: "sm" } },
    Notification: { defaultProps: { withBorder: true } },
    // The badge lets clicks through, so the whole button stays clickable.
    Indicator: {
      styles: { indicator: { pointerEvents: "none", color: "var(--parley-on-filled)" } },
    },
    Popover: { defaultProps: { transitionProps: { duration: 100 }, shadow: "sm" } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 100 } } },
  },
});

/** Colours of text on a pale ground of the same colour, dark enough for WCAG AA. */
const onLight = Object.fromEntries(
  Object.entries({
    green: "#1b5e2b",
    yellow: "#734700",
    orange: "#863a00",
    red: "#9b1c1c",
    violet: "#4c28a8",
    gray: "#454b55",
    accent: "#3f3fa6",
    blue: "#124f8c",
  }).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
);

/**
 * Colours of both themes. A colour that differs between the themes is set here. In a style sheet
 * the build would replace light-dark() by variables that nothing sets.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5f6470",
    "--mantine-color-placeholder": "#6b707c",
    "--mantine-color-blue-text": "#1864ab",
    "--mantine-color-default-border": "#e3e5ea",
    "--parley-on-filled": "#ffffff",
    ...onLight,
    "--parley-surface": "#f7f7f9",
    "--parley-bubble": "#f0f0f4",
    "--parley-own-bubble": "#ebebfb",
    "--parley-note-bubble": "#fff6dc",
    "--parley-selected": "#ededfb",
    "--parley-closed": "#f0f0f4",
    "--parley-buffer": "#d2d4dc",
    "--parley-ok": "#2b8a3e",
    "--parley-failed": "#d12c2c",
  },
  dark: {
    "--mantine-color-dimmed": "#9fa1ad",
    "--mantine-color-placeholder": "#8d8f9b",
    "--mantine-color-error": "#f97878",
    "--mantine-color-default-border": "#2b2c34",
    "--parley-on-filled": "#0b0c0e",
    "--parley-surface": "#111215",
    "--parley-bubble": "#24252c",
    "--parley-own-bubble": "#2c2c52",
    "--parley-note-bubble": "#3a3320",
    "--parley-selected": "#25254a",
    "--parley-closed": "#0f1013",
    "--parley-buffer": "#3a3c47",
    "--parley-ok": "#40a957",
    "--parley-failed": "#f97878",
  },
});
