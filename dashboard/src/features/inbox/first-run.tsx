import { useLocalStorage } from "@mantine/hooks";
import { lazy, Suspense } from "react";
import { fetchAllTexts } from "../../lib/i18n.ts";
import { useSession } from "../../lib/session.ts";

// Most people never see it again, so the inbox does without it until it is wanted.
const FirstRunCard = lazy(async () => {
  const [card] = await Promise.all([import("./first-run/first-run-card.tsx"), fetchAllTexts()]);
  return { default: card.FirstRunCard };
});

/** The first steps, unless this person has put them away in this browser. */
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
