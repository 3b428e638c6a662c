import { useHotkeys } from "@mantine/hooks";
import { Suspense, useState } from "react";
import { lazyPart } from "../lib/lazy-part.ts";
import type { Session } from "../lib/session.ts";

/** Fetched with the first use, because most visits of the inbox need no palette. */
const load = async () => await import("./command-palette.tsx");
const CommandPalette = lazyPart(async () => (await load()).CommandPalette);

/** The command palette, and a function that opens it. Until its first use, Ctrl-K opens it too. */
export function usePalette(session: Session) {
  const [isUsed, setUsed] = useState(false);
  const open = (): void => {
    setUsed(true);
    void load().then(({ openPalette }) => openPalette());
  };
  // The palette has the same shortcut once it is there.
  useHotkeys(isUsed ? [] : [["mod+K", open]], []);
  const palette = isUsed && (
    <Suspense>
      <CommandPalette session={session} />
    </Suspense>
  );
  return { palette, open };
}
