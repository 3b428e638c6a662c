import { createContext, Suspense, useContext, useState, type ReactNode } from "react";
import type { MessageView } from "../../../../core/model/message.ts";
import { lazyPart } from "../../lib/lazy-part.ts";

const MediaViewer = lazyPart(async () => (await import("./media-viewer.tsx")).MediaViewer);

const Show = createContext<(key: string) => void>(() => undefined);

/** Opens the viewer at a picture or video of the thread, by the key of the file. */
export function useShowMedia(): (key: string) => void {
  return useContext(Show);
}

/** Thread whose pictures open in a viewer. Its code is fetched with the first picture. */
export function MediaShow({
  messages,
  children,
}: {
  messages: MessageView[];
  children: ReactNode;
}) {
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Show value={setShown}>
      {children}
      {shown !== null && (
        <Suspense fallback={null}>
          <MediaViewer {...{ messages, shown }} onShow={setShown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </Show>
  );
}
