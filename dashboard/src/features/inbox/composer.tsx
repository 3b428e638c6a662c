import { Box, Button, Kbd, SegmentedControl, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { hasTemplates } from "../../../../core/model/channels.ts";
import { LoadingRows } from "../../components/load-states.tsx";
import { recoverDraft, takeDraft, useDraft, writeDraft } from "../../lib/drafts.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { useTeam } from "../../lib/team.ts";
import { toastFloor } from "../../lib/toast-floor.ts";
import type { ApprovedDraft, Conversation } from "./api.ts";
import { ClosedWindow } from "./closed-window.tsx";
import { ComposerText } from "./composer-text.tsx";
import styles from "./composer.module.css";
import { storeMentions } from "./mentions.ts";
import { AgentWriting, PresenceLine } from "./presence-line.tsx";
import { useReplyWindow } from "./reply-window.ts";
import { useAttached, type Attached } from "./use-attached.ts";
import { useDroppedFiles } from "./use-dropped-files.ts";
import { useDraftKey } from "./use-draft-key.ts";
import { useDraftChoice, type DraftChoice } from "./use-draft-choice.ts";
import { usePresence } from "./use-presence.ts";
import { useAddNote, useReply } from "./use-reply.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { WindowLeft } from "./window-left.tsx";

const ComposerTools = lazyPart(async () => (await import("./composer-tools.tsx")).ComposerTools);

const VisitorTyping = lazyPart(async () => (await import("./visitor-typing.tsx")).VisitorTyping);

const AttachmentTray = lazy(async () => ({
  default: (await import("./attachment-tray.tsx")).AttachmentTray,
}));

const Suggested = lazy(async () => ({ default: (await import("./suggested.tsx")).Suggested }));

const TemplateForm = lazy(async () => ({
  default: (await import("./template-form.tsx")).TemplateForm,
}));

type Mode = "reply" | "note" | "template";
type TextMode = Exclude<Mode, "template">;

/** Form to write to the customer, or a note for colleagues. Unsent text is stored as a draft. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const [chosen, setMode] = useState<Mode>("reply");
  const input = useRef<HTMLTextAreaElement>(null);
  const reply = useDraft(useDraftKey(conversation.id, "reply"));
  const note = useDraft(useDraftKey(conversation.id, "note"));
  const choice = useDraftChoice(useDraftKey(conversation.id, "choice"), conversation);
  const viewers = usePresence(conversation.id, reply + note);
  const start = (next: Mode): void => {
    // Rendered before the focus, because each mode has its own input.
    flushSync(() => setMode(next));
    input.current?.focus();
  };
  useShortcuts({ r: () => start("reply"), n: () => start("note") });
  const { open } = useReplyWindow(conversation);
  const templates = hasTemplates(conversation.channel);
  // With a closed window, Reply shows the reason and the template form.
  const mode = chosen === "template" && !(open && templates) ? "reply" : chosen;
  const closed = mode === "reply" && !open;
  const { frame, attached, onFiles, over } = useFiles(conversation, mode === "reply" && !closed);
  return (
    <Box ref={toastFloor} className={styles["composer"] ?? ""} data-mode={mode}>
      <OthersThere conversation={conversation} viewers={viewers} />
      <div className={styles["frame"]} ref={frame}>
        <div className={styles["head"]}>
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
          <WindowLeft conversation={conversation} />
        </div>
        {closed && <ClosedWindow conversation={conversation} />}
        {/* One place for both cases, so that the text survives when the window opens or ends. */}
        {(mode === "template" || (closed && templates)) && (
          <Box className={styles["template"] ?? ""} onFocus={() => setMode("template")}>
            <Suspense fallback={<LoadingRows rows={2} />}>
              <TemplateForm conversation={conversation} onSent={() => open && start("reply")} />
            </Suspense>
          </Box>
        )}
        {mode !== "template" && !closed && (
          <TextForm
            key={mode}
            {...{ conversation, mode, choice, onFiles, over }}
            attached={mode === "reply" ? attached : null}
            inputRef={input}
            onTemplate={templates ? () => start("template") : null}
          />
        )}
      </div>
    </Box>
  );
}

interface OthersThereProps {
  conversation: Conversation;
  viewers: ReturnType<typeof usePresence>;
}

/** Lines that say who else is at the conversation: the AI agent, colleagues, the visitor. */
function OthersThere({ conversation, viewers }: OthersThereProps) {
  return (
    <>
      {conversation.agent_writing && <AgentWriting />}
      <PresenceLine viewers={viewers} />
      {conversation.channel === "web" && (
        <Suspense fallback={null}>
          <VisitorTyping conversationId={conversation.id} />
        </Suspense>
      )}
    </>
  );
}

/** Files of the reply, dropped on the conversation, pasted or chosen. */
function useFiles(conversation: Conversation, isReply: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const attached = useAttached(conversation, useDraftKey(conversation.id, "reply"));
  const onFiles = (files: readonly File[]): void => {
    void import("../../lib/upload-files.ts").then(async ({ attachFiles, refuseFiles }) => {
      if (isReply) await attachFiles(attached.key, conversation.channel, files);
      else await refuseFiles();
    });
  };
  return { frame, attached, onFiles, over: useDroppedFiles(frame, onFiles) };
}

interface ComposedProps {
  conversation: Conversation;
  mode: TextMode;
  choice: DraftChoice;
  /** Null for a note. */
  attached: Attached | null;
}

interface TextFormProps extends ComposedProps {
  inputRef: React.RefObject<HTMLTextAreaElement | null>;
  onFiles: (files: readonly File[]) => void;
  /** True while files are dragged over the conversation. */
  over: boolean;
  /** Null where the channel has no templates. */
  onTemplate: (() => void) | null;
}

function TextForm({ inputRef, onTemplate, onFiles, over, ...props }: TextFormProps) {
  const { conversation, mode, choice, attached } = props;
  const { t } = useTranslation();
  const { text, setText, canSend, send, sendDraft } = useComposed(props);
  const use = (draft: string): void => {
    choice.use();
    // The person's own text stays.
    setText([text.trimEnd(), draft].filter((part) => part !== "").join("\n"));
    inputRef.current?.focus();
  };
  return (
    <>
      {mode === "reply" && (
        <Suspense fallback={null}>
          <Suggested conversation={conversation} {...{ choice, use, sendDraft }} />
        </Suspense>
      )}
      {attached !== null && (over || attached.files.length > 0) && (
        <Suspense fallback={null}>
          <AttachmentTray {...{ attached, over }} onEmpty={() => inputRef.current?.focus()} />
        </Suspense>
      )}
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div className={styles["text"]}>
          <ComposerText {...{ conversation, mode, inputRef, text, setText, send }} />
        </div>
        <div className={styles["tools"]}>
          <Suspense fallback={null}>
            <ComposerTools {...{ conversation, mode, inputRef, setText, onFiles, onTemplate }} />
          </Suspense>
        </div>
        <Text span size="xs" className={styles["keys"] ?? ""} title={t("composer.keys")}>
          <Kbd>Enter</Kbd> {t(mode === "reply" ? "composer.enter_sends" : "composer.enter_adds")}
        </Text>
        <Button
          type="submit"
          size="xs"
          aria-label={t(mode === "reply" ? "composer.send" : "composer.add")}
          disabled={!canSend}
          leftSection={<IconSend size={16} aria-hidden />}
          classNames={{
            root: styles["send"] ?? "",
            section: styles["sendIcon"] ?? "",
            label: styles["sendWord"] ?? "",
          }}
        >
          {t(mode === "reply" ? "composer.send" : "composer.add")}
        </Button>
      </form>
    </>
  );
}

/**
 * Text of a conversation and mode, stored as a draft. A text that could not be sent returns to the
 * field.
 */
function useComposed({ conversation, mode, choice, attached }: ComposedProps) {
  const key = useDraftKey(conversation.id, mode);
  const text = useDraft(key);
  const { files, isReady } = attached ?? { files: [], isReady: true };
  const canSend = isReady && (text.trim() !== "" || files.length > 0);
  useEffect(() => recoverDraft(key), [key]);
  const reply = useReply(conversation);
  const note = useAddNote(conversation.id);
  const team = useTeam();
  const sendOnce = async (sent: { id: string; text: string }, draft?: ApprovedDraft) => {
    const { id: external_id, text: content } = sent;
    if (mode === "reply") await reply.mutateAsync({ external_id, content, draft });
    else await note.mutateAsync({ external_id, text: storeMentions(content, team) });
  };
  const send = (): void => {
    if (!canSend) return;
    const all = takeDraft(key);
    const agents = mode === "reply" ? choice.begin(all.map(({ id }) => id)) : undefined;
    // A text with the agent's draft goes by itself, since its approval belongs to it.
    const caption = files.length > 0 && agents === undefined ? all.pop() : undefined;
    for (const sent of all) {
      const own = sent.id === agents?.textId ? agents : undefined;
      // Runs also after another conversation was opened meanwhile.
      sendOnce(sent, own?.draft).then(
        () => sent.settle(true),
        (error: unknown) => {
          if (own !== undefined) choice.noteFailure(own, error);
          sent.settle(false);
        },
      );
    }
    attached?.send(caption);
  };
  const sendDraft = (): void => {
    const own = choice.beginWhole();
    if (own === undefined) return;
    const sent = { id: own.textId, text: conversation.agent_draft?.text ?? "" };
    sendOnce(sent, own.draft).catch((error: unknown) => choice.noteFailure(own, error));
  };
  const setText = (next: string): void => writeDraft(key, next);
  return { text, setText, canSend, send, sendDraft };
}
