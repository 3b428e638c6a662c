/**
 * Marks that the host page keeps: "was here" and "greeting dismissed". They hold no secret. Where
 * storage is off, they last as long as the page.
 */
export interface HostMemory {
  has(name: string): boolean;
  set(name: string, isOn: boolean): void;
}

/** @param key of the widget */
export function openMemory(key: string): HostMemory {
  const held = new Set<string>();
  const nameOf = (name: string): string => `parley:${key}:${name}`;
  return {
    has(name) {
      try {
        return held.has(name) || localStorage.getItem(nameOf(name)) !== null;
      } catch {
        return held.has(name);
      }
    },
    set(name, isOn) {
      if (isOn) held.add(name);
      else held.delete(name);
      try {
        if (isOn) localStorage.setItem(nameOf(name), "1");
        else localStorage.removeItem(nameOf(name));
      } catch {
        // The mark is in memory.
      }
    },
  };
}
