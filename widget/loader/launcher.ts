import type { LoaderConfig } from "../../core/model/widget-files.ts";
import type { WidgetLocale } from "../../core/model/widget.ts";
import type { ThemeChoice } from "../shared/protocol.ts";
import { icons, make, makeIcon } from "./dom.ts";
import { styleSheet } from "./style.ts";
import { words } from "./words.ts";

/** Everything that the site's visitors see before they open the chat. */
export interface Launcher {
  host: HTMLElement;
  /** The element that the frame goes into. */
  room: HTMLElement;
  button: HTMLButtonElement;
  setLocale(locale: WidgetLocale): void;
  setTheme(theme: ThemeChoice): void;
  setOpen(isOpen: boolean, isFull: boolean): void;
  setUnread(count: number): void;
  showGreeting(): void;
  hideGreeting(): void;
}

interface LauncherEvents {
  onToggle: () => void;
  onDismiss: () => void;
}

/** Parts of the launcher, in a closed shadow root. Their style passes any Content-Security-Policy. */
function makeParts(config: LoaderConfig, { onToggle, onDismiss }: LauncherEvents) {
  const host = make("div", { "data-parley": "" });
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleSheet(config));
  root.adoptedStyleSheets = [sheet];
  const room = make("div");
  const button = make("button", { class: "launcher", type: "button", "aria-expanded": "false" });
  const badge = make("span", { class: "badge", "aria-hidden": "true", hidden: "" });
  const greeting = make("div", { class: "greeting", hidden: "" });
  const says = make("button", { class: "words", type: "button", dir: "auto" });
  const dismiss = make("button", { class: "dismiss", type: "button" }, makeIcon(icons.close));
  greeting.append(says, dismiss);
  room.append(greeting, button);
  root.append(room);
  button.onclick = onToggle;
  says.onclick = onToggle;
  dismiss.onclick = onDismiss;
  return { host, room, button, badge, greeting, says, dismiss };
}

/** Builds the launcher. */
export function makeLauncher(config: LoaderConfig, events: LauncherEvents): Launcher {
  const { host, room, button, badge, greeting, says, dismiss } = makeParts(config, events);
  let locale = config.defaultLocale;
  let isOpen = false;
  let unread = 0;
  const draw = (): void => {
    const { open, close, unread: noun, dismiss: label } = words[locale];
    const text = isOpen ? "" : config.texts[locale].launcher;
    button.replaceChildren(makeIcon(isOpen ? icons.down : icons.chat), ...(text ? [text] : []));
    button.append(badge);
    button.className = text ? "launcher" : "launcher round";
    badge.hidden = unread === 0 || isOpen;
    badge.textContent = unread > 99 ? "99+" : `${unread}`;
    const name = isOpen ? close : text || open;
    button.setAttribute("aria-label", badge.hidden ? name : `${name}, ${unread} ${noun}`);
    button.setAttribute("aria-expanded", `${isOpen}`);
    dismiss.setAttribute("aria-label", label);
    says.textContent = config.texts[locale].greeting || config.texts[config.defaultLocale].greeting;
    host.lang = locale;
  };
  draw();
  return {
    host,
    room,
    button,
    setLocale(next) {
      locale = next;
      draw();
    },
    setTheme(theme) {
      const isDark =
        theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme:dark)").matches);
      room.className = isDark ? "dark" : "";
    },
    setOpen(next, isFull) {
      isOpen = next;
      button.hidden = isOpen && isFull;
      draw();
    },
    setUnread(count) {
      unread = count;
      draw();
    },
    showGreeting() {
      greeting.hidden = says.textContent === "";
    },
    hideGreeting() {
      greeting.hidden = true;
    },
  };
}
