import { useHotkeys, type HotkeyItem } from "@mantine/hooks";

/** Keys of the inbox, alone on the keyboard: never while someone writes. */
export type ShortcutKey = "j" | "k" | "r" | "n" | "e" | "p" | "a" | "s" | "/" | "?";

/** Keyboards differ in how they come to these. */
const shifted = new Set<ShortcutKey>(["/", "?"]);

/** Binds keys while the component is there. */
export function useShortcuts(actions: Partial<Record<ShortcutKey, () => void>>): void {
  const entries = Object.entries(actions) as [ShortcutKey, () => void][];
  useHotkeys(
    entries.flatMap(([key, run]) => {
      const keys = shifted.has(key) ? [key, `shift+${key}`] : [key];
      return keys.map((one): HotkeyItem => {
        const press = (event: KeyboardEvent): void => {
          if (isMeantElsewhere(event.target) || isCutOff(event)) return;
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

/** A key in a field writes there; in a dialog or a menu it is no business of the page behind it. */
function isMeantElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${fields}, ${above}`) !== null;
}

/** Where somebody wrote last, and when. */
let writing: { field: Element; at: number } | null = null;
const pauseMs = 1_000;
/** After these a field is done with. */
const ends = new Set(["Enter", "Escape", "Tab"]);

/** A field can go from under the hands, as when a window ends: the rest of the sentence is no shortcut. */
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
