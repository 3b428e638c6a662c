import { ActionIcon, Loader, Popover, Tooltip } from "@mantine/core";
import { IconAt, IconMoodSmile, IconSlash, IconSparkles } from "@tabler/icons-react";
import { lazy, Suspense, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";
import type { Conversation } from "./api.ts";
import { AttachButton } from "./attach-button.tsx";
import { insertText } from "./insert-text.ts";
import { MacroMenu } from "./macro-menu.tsx";
import { MessageKinds } from "./message-kinds.tsx";
import { useSuggestion } from "./use-suggestion.ts";

const EmojiPicker = lazy(async () => ({
  default: (await import("./emoji-picker.tsx")).EmojiPicker,
}));

interface ComposerToolsProps {
  conversation: Conversation;
  mode: "reply" | "note";
  inputRef: RefObject<HTMLTextAreaElement | null>;
  setText: (text: string) => void;
  onFiles: (files: readonly File[]) => void;
  /** Null where the channel has no templates. */
  onTemplate: (() => void) | null;
}

/**
 * Buttons of the composer: files, emoji, canned answers or mentions, the menu of messages, and
 * macros. A phone has no room for emoji and lists; its keyboard has them.
 */
export function ComposerTools({ onFiles, onTemplate, ...composer }: ComposerToolsProps) {
  const { conversation, mode, inputRef, setText } = composer;
  const camera = useRef<HTMLInputElement>(null);
  const { t } = useTranslation();
  const insert = (added: string): void => {
    if (inputRef.current !== null) insertText({ input: inputRef.current, setText }, added);
  };
  /** Types the character that opens the list, as a word of its own. */
  const openList = (character: "/" | "@"): void => {
    const input = inputRef.current;
    if (input === null) return;
    const before = input.value.slice(0, input.selectionStart);
    if (/(?:^|\s)[/@]$/u.test(before)) input.focus();
    else insert(/(?:^|\s)$/u.test(before) ? character : ` ${character}`);
  };
  return (
    <>
      {mode === "reply" && <AttachButton camera={camera} onFiles={onFiles} />}
      <EmojiButton onPick={insert} onCancel={() => inputRef.current?.focus()} />
      <IconAction
        size="var(--parley-control-small)"
        visibleFrom="sm"
        label={t(mode === "reply" ? "answers.title" : "answers.members")}
        onClick={() => openList(mode === "reply" ? "/" : "@")}
      >
        {mode === "reply" ? (
          <IconSlash size={18} stroke={1.75} />
        ) : (
          <IconAt size={18} stroke={1.75} />
        )}
      </IconAction>
      {mode === "reply" && <SuggestAction conversation={conversation} />}
      {mode === "reply" && (
        <MessageKinds
          conversation={conversation}
          onTemplate={onTemplate}
          onCamera={() => camera.current?.click()}
        />
      )}
      <MacroMenu conversationId={conversation.id} />
    </>
  );
}

/** Asks the agent for a draft. A phone has it in the menu of the conversation. */
function SuggestAction({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { ask } = useSuggestion(conversation);
  if (conversation.agent_drafting || conversation.agent_draft !== null) return null;
  return (
    <IconAction
      size="var(--parley-control-small)"
      visibleFrom="sm"
      label={t("inbox.suggest")}
      onClick={ask}
    >
      <IconSparkles size={18} stroke={1.75} />
    </IconAction>
  );
}

interface EmojiButtonProps {
  onPick: (emoji: string) => void;
  onCancel: () => void;
}

/** Button that opens the picker of emoji. */
function EmojiButton({ onPick, onCancel }: EmojiButtonProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="top-start"
      trapFocus
      closeOnEscape={false}
    >
      <Tooltip label={t("emoji.title")} disabled={opened}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="var(--parley-control-small)"
            visibleFrom="sm"
            aria-label={t("emoji.title")}
            onClick={() => setOpened(!opened)}
          >
            <IconMoodSmile size={18} stroke={1.75} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown
        p={0}
        aria-label={t("emoji.title")}
        onKeyDown={({ key }) => {
          if (key !== "Escape") return;
          setOpened(false);
          onCancel();
        }}
      >
        <Suspense fallback={<Loader size="xs" m="sm" aria-label={t("common.loading")} />}>
          <EmojiPicker
            onPick={(emoji) => {
              setOpened(false);
              onPick(emoji);
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
