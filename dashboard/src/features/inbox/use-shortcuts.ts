import { useHotkeys } from "@mantine/hooks";

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
      return keys.map((one): [string, () => void] => [one, run]);
    }),
  );
}
