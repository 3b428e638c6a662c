import { Box, Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { hasTemplates } from "../../../../core/model/channels.ts";
import { recoverDraft, takeDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { useSession } from "../../lib/session.ts";
import { clockDuration, clockTime, exactTime, useNow } from "../../lib/time.ts";
import { useTeam } from "../../lib/team.ts";
import { toastFloor } from "../../lib/toast-floor.ts";
import type { Conversation } from "./api.ts";
import { ClosedWindow } from "./closed-window.tsx";
import { ComposerText } from "./composer-text.tsx";
import styles from "./composer.module.css";
import { storeMentions } from "./mentions.ts";
import { PresenceLine } from "./presence-line.tsx";
import { TemplateForm } from "./template-form.tsx";
import { usePresence } from "./use-presence.ts";
import { useAddNote, useReply } from "./use-reply.ts";
import { useShortcuts } from "./use-shortcuts.ts";

type Mode = "reply" | "note" | "template";
type TextMode = Exclude<Mode, "template">;

/** Form to write to the customer, or a note for colleagues. Unsent text is stored as a draft. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const [chosen, setMode] = useState<Mode>("reply");
  const input = useRef<HTMLTextAreaElement>(null);
  const reply = useDraft(useDraftKey(conversation.id, "reply"));
  const note = useDraft(useDraftKey(conversation.id, "note"));
  const viewers = usePresence(conversation.id, reply + note);
  const start = (next: Mode): void => {
    // Rendered before the focus, because each mode has its own input.
    flushSync(() => setMode(next));
    input.current?.focus();
  };
  useShortcuts({ r: () => start("reply"), n: () => start("note") });
  const { open } = conversation.messaging_window;
  const templates = hasTemplates(conversation.channel);
  // With a closed window, Reply shows the reason and the template form.
  const mode = chosen === "template" && !(open && templates) ? "reply" : chosen;
  const closed = mode === "reply" && !open;
  return (
    <Box ref={toastFloor} className={styles["composer"] ?? ""} data-mode={mode}>
      <PresenceLine viewers={viewers} />
      <Group justify="space-between" mb={6}>
        <SegmentedControl
          size="xs"
          aria-label={t("composer.mode")}
          value={mode}
          onChange={(next) => start(next)}
          data={[
            { value: "reply", label: t("composer.reply") },
            { value: "note", label: t("composer.note") },
            ...(open && templates
              ? [{ value: "template" as const, label: t("composer.template") }]
              : []),
          ]}
        />
        <Hint conversation={conversation} mode={mode} />
      </Group>
      {closed && <ClosedWindow conversation={conversation} />}
      {/* One place for both cases, so that the text survives when the window opens or ends. */}
      {(mode === "template" || (closed && templates)) && (
        <Box onFocus={() => setMode("template")}>
          <TemplateForm conversation={conversation} onSent={() => open && start("reply")} />
        </Box>
      )}
      {mode !== "template" && !closed && (
        <TextForm key={mode} conversation={conversation} mode={mode} inputRef={input} />
      )}
    </Box>
  );
}

/** Remaining time of the messaging window where it has an end; otherwise the keys. */
function Hint({ conversation, mode }: { conversation: Conversation; mode: Mode }) {
  const { t } = useTranslation();
  const { open, expires_at: end } = conversation.messaging_window;
  if (mode === "template" || (mode === "reply" && !open)) return null;
  if (mode === "reply" && end !== null) return <WindowLeft end={end} />;
  return (
    <Text size="xs" c="dimmed" visibleFrom="sm">
      {t("composer.keys")}
    </Text>
  );
}

/** Remaining time for free text, and its end. */
function WindowLeft({ end }: { end: string }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const now = useNow(1_000);
  const time = clockDuration(new Date(end).getTime() - now);
  return (
    <Text size="xs" c="dimmed" className="tabular" title={exactTime(end, account.time_zone)}>
      {t("composer.open_for", { time, end: clockTime(end, account.time_zone) })}
    </Text>
  );
}

interface TextFormProps {
  conversation: Conversation;
  mode: TextMode;
  inputRef: React.RefObject<HTMLTextAreaElement | null>;
}

function TextForm({ conversation, mode, inputRef }: TextFormProps) {
  const { t } = useTranslation();
  const { text, setText, send } = useComposed(conversation, mode);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <ComposerText {...{ conversation, mode, inputRef, text, setText, send }} />
        <Button
          type="submit"
          disabled={text.trim() === ""}
          leftSection={<IconSend size={16} aria-hidden />}
        >
          {t(mode === "reply" ? "composer.send" : "composer.add")}
        </Button>
      </Group>
    </form>
  );
}

/**
 * Text of a conversation and mode, stored as a draft. A text that could not be sent returns to the
 * field.
 */
function useComposed(conversation: Conversation, mode: TextMode) {
  const key = useDraftKey(conversation.id, mode);
  const text = useDraft(key);
  useEffect(() => recoverDraft(key), [key]);
  const reply = useReply(conversation);
  const note = useAddNote(conversation.id);
  const team = useTeam();
  const sendOnce = async (external_id: string, content: string): Promise<void> => {
    if (mode === "reply") await reply.mutateAsync({ external_id, content });
    else await note.mutateAsync({ external_id, text: storeMentions(content, team) });
  };
  const send = (): void => {
    if (text.trim() === "") return;
    for (const { id, text: content, settle } of takeDraft(key)) {
      // Runs also after another conversation was opened meanwhile.
      sendOnce(id, content).then(
        () => settle(true),
        () => settle(false),
      );
    }
  };
  return { text, setText: (next: string) => writeDraft(key, next), send };
}

function useDraftKey(conversationId: number, mode: TextMode): string {
  const { account, user } = useSession();
  return `${account.id}.${user.id}.${conversationId}.${mode}`;
}
