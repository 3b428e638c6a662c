import { useHotkeys, type HotkeyItem } from "@mantine/hooks";

/** Keys of the inbox. They work without modifier keys and never in a text field. */
export type ShortcutKey =
  | "j"
  | "k"
  | "x"
  | "shift+x"
  | "r"
  | "n"
  | "e"
  | "z"
  | "u"
  | "i"
  | "p"
  | "g"
  | "b"
  | "a"
  | "s"
  | "f"
  | "d"
  | "/"
  | "?"
  | "Escape";

/** Some keyboards need Shift for these keys. */
const shifted = new Set<ShortcutKey>(["/", "?"]);

/** Binds keys while the component is mounted. */
export function useShortcuts(actions: Partial<Record<ShortcutKey, () => void>>): void {
  const entries = Object.entries(actions) as [ShortcutKey, () => void][];
  useHotkeys(
    entries.flatMap(([key, run]) => {
      const keys = shifted.has(key) ? [key, `shift+${key}`] : [key];
      return keys.map((one): HotkeyItem => {
        const press = (event: KeyboardEvent): void => {
          if (isMeantElsewhere(event.target) || isCutOff(event) || isHeldAction(event)) return;
          event.preventDefault();
          run();
        };
        return [one, press, { preventDefault: false }];
      });
    }),
    [],
  );
}

const fields = "textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])";
const above = "[role=dialog], [role=menu]";

/** A key in a field types text. A key in a dialog or menu does not act on the page behind it. */
function isMeantElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${fields}, ${above}`) !== null;
}

/** A held key moves through the list. It does not repeat an action, such as to resolve. */
function isHeldAction({ repeat, key }: KeyboardEvent): boolean {
  return repeat && !/^[jk]$/i.test(key);
}

/** Field and time of the last typed key. */
let writing: { field: Element; at: number } | null = null;
const pauseMs = 1_000;
/** Keys that end the work in a field. */
const ends = new Set(["Enter", "Escape", "Tab"]);

/**
 * A field can disappear during typing, for example when a messaging window ends. The rest of the
 * sentence must not trigger shortcuts.
 */
function isCutOff({ timeStamp }: KeyboardEvent): boolean {
  return writing !== null && !writing.field.isConnected && timeStamp - writing.at < pauseMs;
}

function followWriting(event: KeyboardEvent): void {
  const { target, key, timeStamp: at } = event;
  const field = target instanceof Element ? target.closest(fields) : null;
  if (field !== null) writing = ends.has(key) ? null : { field, at };
  else if (writing !== null && isCutOff(event)) writing.at = at;
}

document.addEventListener("keydown", followWriting, { capture: true });
