import { Suspense } from "react";
import { useOwnMark } from "../../lib/first-run.ts";
import { lazyPart } from "../../lib/lazy-part.ts";

// Fetched on demand, because most people never see the card again.
const FirstRunCard = lazyPart(
  async () => (await import("./first-run/first-run-card.tsx")).FirstRunCard,
);

/** Card with the first steps, unless this user has dismissed it in this browser. */
export function FirstRun({ onWrite }: { onWrite: () => void }) {
  const [dismissed, setDismissed] = useOwnMark("first_run");
  if (dismissed) return null;
  return (
    <Suspense fallback={null}>
      <FirstRunCard onWrite={onWrite} onDismiss={() => setDismissed(true)} />
    </Suspense>
  );
}
