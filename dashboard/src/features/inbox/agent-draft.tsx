import { Box, Button, Checkbox, Group, Kbd, Loader, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconSparkles } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { AgentDraftView } from "../../../../core/model/views/agent-draft.ts";
import { turnWord } from "../../components/agent/turn-words.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import styles from "./agent-draft.module.css";
import type { DraftChoice } from "./use-draft-choice.ts";
import { useShortcuts } from "./use-shortcuts.ts";

interface AgentDraftProps {
  conversationId: number;
  draft: AgentDraftView;
  choice: DraftChoice;
  /** Sends the draft as it is, with the ticked changes. */
  onSend: () => void;
  /** Puts the text into the field, behind the person's own text. */
  onUse: () => void;
}

/** A draft of the AI agent above the field: text, changes to approve, and the decision. */
export function AgentDraft({ conversationId, draft, choice, onSend, onUse }: AgentDraftProps) {
  const { t } = useTranslation();
  const first = useRef<HTMLButtonElement>(null);
  useShortcuts({ g: () => first.current?.focus() });
  const dismiss = useDismiss(conversationId, draft.id);
  const isNothing = draft.text === "" && choice.ticked.length === 0;
  return (
    <section className={styles["draft"]} aria-label={t("drafts.title")}>
      <Group gap={6} wrap="nowrap" className={styles["title"] ?? ""}>
        <IconSparkles size={14} aria-hidden />
        <span>{t("drafts.title")}</span>
      </Group>
      {choice.isUsed ? (
        <Text size="sm">{t("drafts.editing")}</Text>
      ) : (
        <Box
          className={styles["text"] ?? ""}
          dir="auto"
          role="group"
          aria-label={t("drafts.title")}
          tabIndex={0}
        >
          {draft.text === "" ? t("drafts.confirmations") : draft.text}
        </Box>
      )}
      {draft.fallback !== null && <Warning text={t(`drafts.${draft.fallback}`)} />}
      {draft.proposals.length > 0 && <Proposals draft={draft} choice={choice} />}
      <Group gap="xs" className={styles["actions"] ?? ""}>
        {!choice.isUsed && (
          <>
            <Button ref={first} size="xs" disabled={isNothing} onClick={onSend}>
              {t("drafts.send")}
            </Button>
            <Button size="xs" variant="default" disabled={draft.text === ""} onClick={onUse}>
              {t("drafts.use")}
            </Button>
          </>
        )}
        <Button
          ref={choice.isUsed ? first : undefined}
          size="xs"
          variant="subtle"
          color="gray"
          loading={dismiss.isPending}
          onClick={() => dismiss.mutate()}
        >
          {t("drafts.dismiss")}
        </Button>
        <Text span size="xs" className={styles["key"] ?? ""} visibleFrom="sm">
          <Kbd>g</Kbd> {t("drafts.key")}
        </Text>
      </Group>
    </section>
  );
}

function Proposals({ draft, choice }: Pick<AgentDraftProps, "draft" | "choice">) {
  const { t } = useTranslation();
  const isPartial = choice.ticked.length < draft.proposals.length;
  return (
    <Stack gap={4} component="fieldset" className={styles["proposals"] ?? ""}>
      <legend className={styles["legend"]}>{t("drafts.proposals")}</legend>
      {draft.proposals.map(({ id, tool, words }) => (
        <Checkbox
          key={id}
          size="sm"
          checked={choice.ticked.includes(id)}
          onChange={() => choice.toggle(id)}
          label={
            <>
              {t(`drafts.tool.${tool}`)}: <bdi>{words}</bdi>
            </>
          }
          error={choice.refused?.proposalId === id && turnWord("refusal", choice.refused.reason)}
        />
      ))}
      {isPartial && draft.text !== "" ? (
        <Warning text={t("drafts.unticked")} />
      ) : (
        <Text size="xs" c="dimmed">
          {t("drafts.proposals_text")}
        </Text>
      )}
    </Stack>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <Text size="xs" className={styles["warning"] ?? ""}>
      <IconAlertTriangle size={14} aria-hidden /> {text}
    </Text>
  );
}

/** Line that the agent is at a draft, which a person may cancel. */
export function Drafting({ onCancel }: { onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles["drafting"]}>
      <Loader size={14} aria-hidden />
      <Text span size="sm" role="status">
        {t("drafts.drafting")}
      </Text>
      <Button size="xs" variant="subtle" color="gray" onClick={onCancel}>
        {t("drafts.cancel")}
      </Button>
    </div>
  );
}

/** Reason why a request came to nothing. A cancelled one says nothing. */
export function NoSuggestion(ids: { conversationId: number; turnId: number }) {
  const { t } = useTranslation();
  const turn = useQuery({
    // A change of the conversation reads the turn again.
    queryKey: [...liveKeys.conversation(ids.conversationId), "suggestion", ids.turnId],
    queryFn: async () => await callApi("GET /agent-turns/:id", { id: ids.turnId }),
  }).data;
  if (turn?.outcome === "superseded") return <Reason text={t("drafts.none_wrote")} />;
  if (turn?.outcome !== "silent" && turn?.outcome !== "failed") return null;
  const reason = turnWord("reason", turn.reason ?? "failed");
  return <Reason text={t("drafts.none", { reason })} />;
}

function Reason({ text }: { text: string }) {
  return (
    <Text size="sm" role="status" className={styles["drafting"] ?? ""}>
      {text}
    </Text>
  );
}

function useDismiss(conversationId: number, id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async () => await callApi("POST /agent-drafts/:id/dismiss", { id }),
    onError: (error) => tellFailure(t("drafts.not_dismissed"), error),
    onSettled: async () =>
      await client.invalidateQueries({ queryKey: liveKeys.conversation(conversationId) }),
  });
}
