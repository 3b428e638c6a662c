import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel } from "../context.ts";
import { mayTakeFocus } from "../focus.ts";
import { Icon } from "./icon.tsx";
import { Suspended } from "./suspended.tsx";

const loadPicker = async () => (await import("./emoji-picker.tsx")).EmojiPicker;
const maxLength = 4_096;
const maxHeightPx = 140;

interface ComposerProps {
  /** The unsent text, which outlasts a look at the free times. */
  text: string;
  onText: (text: string) => void;
  onBook: () => void;
}

/** The field for another message, with files and emoji. */
export function Composer({ text, onText: setText, onBook }: ComposerProps) {
  const { chat, state } = usePanel();
  const { isOpen } = state;
  const [isPicking, setPicking] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone the screen keyboard would cover the conversation at once. A window that becomes
    // wide later moves no focus.
    if (isOpen && !chat.store.state.isFull && mayTakeFocus())
      field.current?.focus({ preventScroll: true });
  }, [isOpen, chat]);
  const send = (): void => {
    const content = text.trim();
    if (content === "" || !chat.sendText(content)) return;
    setText("");
    field.current?.focus();
  };
  const insert = (emoji: string): void => {
    const { selectionStart: from, selectionEnd: to } = field.current ?? {};
    setText(text.slice(0, from ?? text.length) + emoji + text.slice(to ?? text.length));
    setPicking(false);
    field.current?.focus();
  };
  const close = (): void => {
    setPicking(false);
    field.current?.focus();
  };
  return (
    <div class="composer">
      <div class="box">
        <TextField field={field} text={text} onText={setText} onSend={send} />
        <Tools
          canSend={text.trim() !== ""}
          isPicking={isPicking}
          onPick={() => setPicking(!isPicking)}
          onBook={onBook}
          onSend={send}
        />
      </div>
      {isPicking && (
        <Suspended load={loadPicker} props={{ onChoose: insert, onClose: close }} isSmall />
      )}
    </div>
  );
}

interface TextFieldProps {
  field: { current: HTMLTextAreaElement | null };
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
}

function TextField({ field, text, onText, onSend }: TextFieldProps) {
  const { chat, words, state } = usePanel();
  useLayoutEffect(() => {
    const style = field.current?.style;
    if (style === undefined) return;
    style.setProperty("height", "auto");
    style.setProperty("height", `${Math.min(field.current?.scrollHeight ?? 0, maxHeightPx)}px`);
  }, [field, text]);
  return (
    <textarea
      ref={field}
      rows={1}
      dir="auto"
      maxLength={maxLength}
      value={text}
      placeholder={words.placeholder}
      aria-label={words.placeholder}
      enterkeyhint="send"
      onInput={({ currentTarget: { value } }) => {
        onText(value);
        chat.type(value !== "");
      }}
      onBlur={() => chat.type(false)}
      onPaste={(event) => {
        const pasted = [...(event.clipboardData?.files ?? [])];
        if (!state.config.settings.takes_files || pasted.length === 0) return;
        event.preventDefault();
        chat.uploads.add(pasted);
      }}
      onKeyDown={(event) => {
        // While a word is being composed, Enter belongs to the input method.
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        onSend();
      }}
    />
  );
}

interface ToolsProps {
  canSend: boolean;
  isPicking: boolean;
  onPick: () => void;
  onBook: () => void;
  onSend: () => void;
}

function Tools({ canSend, isPicking, onPick, onBook, onSend }: ToolsProps) {
  const { words, state } = usePanel();
  const { takes_files: takesFiles, booking_slug: slug } = state.config.settings;
  const isReady = state.phase === "chat";
  return (
    <div class="tools">
      {takesFiles && <FileButton isReady={isReady} />}
      <button
        type="button"
        class="bare"
        aria-label={words.emoji}
        aria-expanded={isPicking}
        onClick={onPick}
      >
        <Icon name="smile" />
      </button>
      {slug !== null && (
        <button
          type="button"
          class="bare"
          aria-label={words.book}
          disabled={!isReady}
          onClick={onBook}
        >
          <Icon name="calendar" />
        </button>
      )}
      <button
        type="button"
        class="send"
        aria-label={words.send}
        disabled={!canSend}
        onClick={onSend}
      >
        <Icon name="send" />
      </button>
    </div>
  );
}

function FileButton({ isReady }: { isReady: boolean }) {
  const { chat, words } = usePanel();
  const files = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="bare"
        aria-label={words.attach}
        disabled={!isReady}
        onClick={() => files.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={files}
        hidden
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          chat.uploads.add(currentTarget.files ?? []);
          currentTarget.value = "";
        }}
      />
    </>
  );
}
