import { IconSparkles } from "@tabler/icons-react";
import { useMutationState } from "@tanstack/react-query";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lib/lazy-part.ts";
import { usePageAction } from "../../lib/page-actions.ts";
import type { Conversation } from "./api.ts";
import type { DraftChoice } from "./use-draft-choice.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { suggestionKey, useSuggestion } from "./use-suggestion.ts";

const AgentDraft = lazyPart(async () => (await import("./agent-draft.tsx")).AgentDraft);
const Drafting = lazyPart(async () => (await import("./agent-draft.tsx")).Drafting);
const NoSuggestion = lazyPart(async () => (await import("./agent-draft.tsx")).NoSuggestion);

interface SuggestedProps {
  conversation: Conversation;
  choice: DraftChoice;
  use: (text: string) => void;
  sendDraft: () => void;
}

/** The agent's draft above the field: under way, waiting for a decision, or the reason for none. */
export function Suggested(props: SuggestedProps) {
  return (
    <Suspense fallback={null}>
      <Present {...props} />
    </Suspense>
  );
}

function Present({ conversation, choice, use, sendDraft }: SuggestedProps) {
  const { id, agent_draft: draft, agent_drafting: isDrafting } = conversation;
  const { ask, cancel } = useSuggestion(conversation);
  if (isDrafting) return <Drafting onCancel={cancel} />;
  if (draft === null) return <Askable id={id} ask={ask} />;
  return (
    <AgentDraft
      conversationId={id}
      draft={draft}
      choice={choice}
      onSend={sendDraft}
      onUse={() => use(draft.text)}
    />
  );
}

/** Key and command ask for a draft. Nothing is to be seen until a request came to nothing. */
function Askable({ id, ask }: { id: number; ask: () => void }) {
  const { t } = useTranslation();
  useShortcuts({ g: ask });
  usePageAction({ id: "suggest", label: t("inbox.suggest"), icon: IconSparkles, run: ask });
  const asked = useMutationState({
    filters: { mutationKey: suggestionKey(id) },
    select: ({ state }) => state.data as { turn_id: number } | undefined,
  }).at(-1);
  return asked === undefined ? null : <NoSuggestion conversationId={id} turnId={asked.turn_id} />;
}
