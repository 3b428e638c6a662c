import { Alert, Box, Button, Group, SegmentedControl, Text, Textarea } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { recoverDraft, takeDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { useSession } from "../../lib/session.ts";
import type { Conversation } from "./api.ts";
import { TemplateForm } from "./template-form.tsx";
import { textReply, useAddNote, useReply, type TextReply } from "./use-reply.ts";
import { useShortcuts } from "./use-shortcuts.ts";

type Mode = "reply" | "note";

/** Where people write: to the customer, or a note for colleagues. What is begun stays as a draft. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const [mode, setMode] = useState<Mode>("reply");
  const input = useRef<HTMLTextAreaElement>(null);
  const start = (next: Mode): void => {
    setMode(next);
    input.current?.focus();
  };
  useShortcuts({ r: () => start("reply"), n: () => start("note") });
  const closed = mode === "reply" && !conversation.messaging_window.open;
  return (
    <Box p="sm" style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
      <Group justify="space-between" mb={6}>
        <SegmentedControl
          size="xs"
          aria-label={t("composer.mode")}
          value={mode}
          onChange={(next) => start(next)}
          data={[
            { value: "reply", label: t("composer.reply") },
            { value: "note", label: t("composer.note") },
          ]}
        />
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {t("composer.keys")}
        </Text>
      </Group>
      {closed ? (
        <Alert color="orange" title={t("composer.closed")}>
          <Text size="sm" mb="sm">
            {t("composer.closed_text")}
          </Text>
          <TemplateForm conversation={conversation} />
        </Alert>
      ) : (
        <TextForm key={mode} conversation={conversation} mode={mode} inputRef={input} />
      )}
    </Box>
  );
}

interface TextFormProps {
  conversation: Conversation;
  mode: Mode;
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
        <Textarea
          ref={inputRef}
          flex={1}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={4096}
          dir="auto"
          aria-label={t(`composer.${mode}`)}
          placeholder={t(`composer.${mode}_placeholder`)}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            // Enter also ends a word that is being composed, which is no message yet.
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
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

/** Replies that were refused or not heard back from, by draft: the same text goes again as the same message. */
const refused = new Map<string, TextReply>();

/** The text under a conversation and mode. What could not be sent comes back. */
function useComposed(conversation: Conversation, mode: Mode) {
  const { account, user } = useSession();
  const key = `${account.id}.${user.id}.${conversation.id}.${mode}`;
  const text = useDraft(key);
  useEffect(() => recoverDraft(key), [key]);
  const reply = useReply(conversation);
  const note = useAddNote(conversation.id);
  const sendReply = async (content: string): Promise<void> => {
    const before = refused.get(key);
    const sent = before?.content === content ? before : textReply(content);
    refused.delete(key);
    try {
      await reply.mutateAsync(sent);
    } catch (error) {
      refused.set(key, sent);
      throw error;
    }
  };
  const send = (): void => {
    if (text.trim() === "") return;
    const { text: content, settle } = takeDraft(key);
    // Also where another conversation has been opened meanwhile.
    const sent = mode === "reply" ? sendReply(content) : note.mutateAsync(content);
    sent.then(
      () => settle(true),
      () => settle(false),
    );
  };
  return { text, setText: (next: string) => writeDraft(key, next), send };
}
