import { useHotkeys } from "@mantine/hooks";
import { Suspense, useState } from "react";
import { lazyPart } from "../lib/lazy-part.ts";
import type { Session } from "../lib/session.ts";

/** Fetched with the first use, because most visits of the inbox need no palette. */
const CommandPalette = lazyPart(async () => (await import("./command-palette.tsx")).CommandPalette);

/** The command palette, and a function that opens it. Until its first use, Ctrl-K opens it too. */
export function usePalette(session: Session) {
  const [times, setTimes] = useState(0);
  const open = (): void => setTimes((before) => before + 1);
  // The palette has the same shortcut once it is there.
  useHotkeys(times === 0 ? [["mod+K", open]] : [], []);
  const palette = times > 0 && (
    <Suspense>
      <CommandPalette session={session} opened={times} />
    </Suspense>
  );
  return { palette, open };
}
