import { accentColours } from "../../core/model/accent.ts";
import type { WidgetSettings } from "../../core/model/widget.ts";
import { inkOn } from "../../core/model/widget-files.ts";
import type { ThemeChoice } from "../shared/protocol.ts";

const fonts: Record<WidgetSettings["look"]["font"], string> = {
  system: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
  rounded: "ui-rounded, 'SF Pro Rounded', Nunito, system-ui, sans-serif",
  mono: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
};

/** Sets the colours of the widget on the page. Words on and in the accent hold AA in both themes. */
export function applyTheme(theme: ThemeChoice, look: WidgetSettings["look"]): void {
  const { style, dataset } = document.documentElement;
  const isDark =
    theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const { accent, soft, line } = accentColours(look.accent)[isDark ? "dark" : "light"];
  dataset["theme"] = isDark ? "dark" : "light";
  style.setProperty("--accent", look.accent);
  style.setProperty("--on-accent", inkOn(look.accent));
  style.setProperty("--accent-ink", accent);
  style.setProperty("--accent-soft", soft);
  style.setProperty("--accent-line", line);
  style.setProperty("--radius", `${look.radius}px`);
  style.setProperty("--font", fonts[look.font]);
}
