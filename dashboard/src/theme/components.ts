import type { MantineThemeComponents } from "@mantine/core";
import styles from "./components.module.css";

/** Props of a component that decide about its size. */
interface Sized {
  size?: unknown;
  variant?: unknown;
}

/** Values of a component's CSS variables by its size. A size without a row keeps Mantine's values. */
type Sizes = Record<string, Record<string, string>>;

/** A component whose sizes are set on its root element. */
function sized(part: string, standard: string, sizes: Sizes) {
  return (_theme: unknown, { size }: Sized) => ({
    [part]: sizes[typeof size === "string" ? size : standard] ?? {},
  });
}

/** Class names of the parts of a component, from the style sheet of the theme. */
function looks(parts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parts).map(([part, name]) => [part, styles[name] ?? ""]),
  );
}

const control = "var(--parley-control)";
const controlSmall = "var(--parley-control-small)";
const xs = "var(--mantine-font-size-xs)";
const sm = "var(--mantine-font-size-sm)";
const md = "var(--mantine-font-size-md)";
const tiny = "var(--parley-tiny)";

const buttonSizes: Sizes = {
  xs: { "--button-height": controlSmall, "--button-padding-x": "10px", "--button-fz": xs },
  sm: { "--button-height": control, "--button-padding-x": "12px", "--button-fz": sm },
  md: {
    "--button-height": "var(--parley-control-large)",
    "--button-padding-x": "16px",
    "--button-fz": md,
  },
  "compact-xs": {
    "--button-height": "var(--parley-control-tiny)",
    "--button-padding-x": "8px",
    "--button-fz": xs,
  },
  "compact-sm": { "--button-height": controlSmall, "--button-padding-x": "8px", "--button-fz": sm },
};

const inputSizes: Sizes = {
  xs: { "--input-height": controlSmall, "--input-fz": "var(--parley-field-small)" },
  sm: { "--input-height": control, "--input-fz": "var(--parley-field)" },
  md: {
    "--input-height": "var(--parley-control-large)",
    "--input-fz": "var(--parley-field-large)",
  },
};

/** Sizes of a box to tick: 16 px in every field but those of a phone. */
function tick(name: "checkbox" | "radio") {
  const one = { [`--${name}-size`]: "var(--parley-tick)" };
  return sized("root", "sm", { xs: one, sm: one, md: one });
}

const fast = { transitionProps: { duration: 100 } };

/** The landmark of everything that floats above the page, so that no content is outside of one. */
const floating = { portalProps: { target: "#floating" } };

/** A dialog. Its header is no landmark of the page. */
const dialog = {
  attributes: { header: { role: "none" } },
  overlayProps: { backgroundOpacity: 0.3, blur: 2 },
};

const dialogParts = { header: "dialogHead", title: "dialogTitle", body: "dialogBody" };

/** Defaults, sizes and looks of Mantine's components, so that no page sets them. */
export const components: MantineThemeComponents = {
  Text: { defaultProps: { size: "sm" } },
  Anchor: { defaultProps: { underline: "hover" }, classNames: looks({ root: "link" }) },
  Button: {
    defaultProps: { size: "sm" },
    vars: sized("root", "sm", buttonSizes),
    classNames: looks({ root: "button", section: "buttonSection" }),
  },
  ActionIcon: { classNames: looks({ root: "iconButton" }) },
  CloseButton: { classNames: looks({ root: "iconButton" }) },
  Input: {
    vars: sized("wrapper", "sm", inputSizes),
    classNames: looks({ input: "input", wrapper: "field", section: "fieldSection" }),
  },
  InputWrapper: {
    defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    classNames: looks({ label: "label", description: "help", error: "error" }),
  },
  InlineInput: { classNames: looks({ label: "tickLabel", description: "tickHelp" }) },
  Checkbox: {
    defaultProps: { size: "sm", radius: "xs", iconColor: "var(--parley-on-accent)" },
    vars: tick("checkbox"),
    classNames: looks({
      inner: "tickBox",
      input: "tick",
      label: "tickLabel",
      description: "tickHelp",
    }),
  },
  Radio: {
    defaultProps: { size: "sm", iconColor: "var(--parley-on-accent)" },
    vars: tick("radio"),
    classNames: looks({
      inner: "tickBox",
      radio: "tick",
      label: "tickLabel",
      description: "tickHelp",
    }),
  },
  Switch: {
    defaultProps: { size: "sm" },
    classNames: looks({
      body: "switchBody",
      track: "track",
      label: "tickLabel",
      description: "tickHelp",
    }),
  },
  Badge: {
    defaultProps: { tt: "none", fw: 500, radius: "xs", variant: "light", miw: "max-content" },
    vars: () => ({
      root: { "--badge-fz": tiny, "--badge-height": "20px", "--badge-padding-x": "7px" },
    }),
    classNames: looks({ root: "badge" }),
  },
  Pill: {
    defaultProps: { radius: "xs" },
    vars: () => ({ root: { "--pill-fz": tiny, "--pill-height": "20px" } }),
    classNames: looks({ root: "pill", remove: "pillRemove" }),
  },
  TagsInput: { classNames: looks({ inputField: "pillField" }) },
  MultiSelect: { classNames: looks({ inputField: "pillField" }) },
  PasswordInput: { classNames: looks({ innerInput: "passwordField" }) },
  Chip: { classNames: looks({ label: "chipLabel" }) },
  Kbd: { vars: () => ({ root: { "--kbd-fz": tiny } }), classNames: looks({ root: "key" }) },
  Code: { classNames: looks({ root: "code" }) },
  Table: {
    vars: () => ({
      table: {
        "--table-border-color": "var(--parley-line)",
        "--table-highlight-on-hover-color": "var(--parley-hover)",
        "--table-horizontal-spacing": "var(--mantine-spacing-sm)",
        "--table-vertical-spacing": "6px",
      },
    }),
    classNames: looks({ th: "th", td: "td" }),
  },
  Tabs: {
    vars: () => ({ root: { "--tabs-color": "var(--parley-accent)" } }),
    classNames: looks({ list: "tabs", tab: "tab" }),
  },
  SegmentedControl: {
    defaultProps: { size: "sm" },
    vars: (_theme: unknown, { size }: Sized) => ({
      root: {
        "--sc-font-size": xs,
        "--sc-padding": size === "xs" ? "3px 10px" : "5px 10px",
        "--sc-color": "var(--parley-seg)",
        "--sc-transition-duration": "120ms",
      },
    }),
    classNames: looks({ root: "segments", label: "segment", indicator: "segmentOn" }),
  },
  Paper: {
    defaultProps: { radius: "md" },
    classNames: looks({ root: "paper" }),
  },
  Alert: {
    defaultProps: { radius: "md" },
    classNames: looks({ root: "alert", title: "alertTitle", icon: "alertIcon" }),
  },
  Skeleton: { classNames: looks({ root: "skeleton" }) },
  Divider: { classNames: looks({ label: "dividerLabel" }) },
  Overlay: { vars: () => ({ root: { "--overlay-bg": "var(--parley-scrim)" } }) },
  Modal: {
    defaultProps: {
      centered: true,
      radius: "lg",
      shadow: "md",
      padding: 20,
      transitionProps: { duration: 120 },
      ...dialog,
    },
    classNames: looks({ ...dialogParts, content: "modal" }),
  },
  DrawerRoot: {
    defaultProps: {
      size: 680,
      padding: "lg",
      shadow: "xl",
      transitionProps: { duration: 120 },
    },
  },
  Drawer: {
    defaultProps: dialog,
    classNames: looks({ ...dialogParts, content: "drawer" }),
  },
  Popover: {
    defaultProps: { ...fast, shadow: "md", radius: "md" },
    classNames: looks({ dropdown: "popover" }),
  },
  Menu: {
    defaultProps: {
      ...fast,
      ...floating,
      // The first entry takes the focus. Mantine's placeholder is no part that a menu may have.
      withInitialFocusPlaceholder: false,
      shadow: "md",
      radius: "md",
    },
    classNames: looks({
      dropdown: "popover",
      item: "menuItem",
      label: "menuLabel",
      divider: "menuDivider",
    }),
  },
  Combobox: {
    defaultProps: { shadow: "md", radius: "md" },
    classNames: looks({ dropdown: "popover", option: "option", empty: "nothing" }),
  },
  Notification: {
    defaultProps: { withBorder: true, radius: "md" },
    classNames: looks({
      root: "toast",
      icon: "toastIcon",
      body: "toastBody",
      title: "toastTitle",
      description: "toastText",
    }),
  },
  // The badge lets clicks through, so the whole button stays clickable.
  Indicator: { classNames: looks({ indicator: "indicator" }) },
  Tooltip: {
    defaultProps: { openDelay: 300, ...fast, ...floating },
    classNames: looks({ tooltip: "tooltip" }),
  },
  Spotlight: {
    defaultProps: { size: 560, padding: 0 },
    classNames: looks({
      search: "paletteSearch",
      action: "paletteAction",
      actionLabel: "paletteLabel",
      actionDescription: "paletteText",
      actionsGroup: "paletteGroup",
      empty: "nothing",
    }),
  },
};
