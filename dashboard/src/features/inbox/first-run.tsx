import { useLocalStorage } from "@mantine/hooks";
import { Suspense } from "react";
import { lazyPart } from "../../lib/lazy-part.ts";
import { useSession } from "../../lib/session.ts";

// Fetched on demand, because most people never see the card again.
const FirstRunCard = lazyPart(
  async () => (await import("./first-run/first-run-card.tsx")).FirstRunCard,
);

/** Card with the first steps, unless this user has dismissed it in this browser. */
export function FirstRun({ onWrite }: { onWrite: () => void }) {
  const { account, user } = useSession();
  const [dismissed, setDismissed] = useLocalStorage({
    key: `parley.first_run.${account.id}.${user.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (dismissed) return null;
  return (
    <Suspense fallback={null}>
      <FirstRunCard onWrite={onWrite} onDismiss={() => setDismissed(true)} />
    </Suspense>
  );
}
