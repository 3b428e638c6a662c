import type { Shelf } from "./outbox.ts";

/** A named place in the frame's storage. Where storage is off, memory stands in for it. */
function openShelf(key: string, name: string): Shelf {
  const full = `parley:${key}:${name}`;
  let held: string | null = null;
  return {
    read() {
      try {
        return localStorage.getItem(full) ?? held;
      } catch {
        return held;
      }
    },
    write(text) {
      held = text;
      try {
        if (text === null) localStorage.removeItem(full);
        else localStorage.setItem(full, text);
      } catch {
        // The text is in memory.
      }
    },
  };
}

const names = ["resume", "outbox", "consent", "asked", "sound"] as const;

/** Every place that a panel uses. */
export type Shelves = Record<(typeof names)[number], Shelf>;

/** @param key of the widget */
export function openShelves(key: string): Shelves {
  return Object.fromEntries(names.map((name) => [name, openShelf(key, name)])) as Shelves;
}
