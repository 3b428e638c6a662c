import { useEffect, useRef, useState } from "preact/hooks";
import type { PanelChat } from "../chat.ts";
import { usePanel } from "../context.ts";
import { Icon } from "./icon.tsx";

/** Rarely used actions: sound, the conversation as a file, deletion. */
export function Menu({ onClose }: { onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const onDown = (event: Event): void => {
      if (!box.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    addEventListener("pointerdown", onDown);
    return () => {
      removeEventListener("pointerdown", onDown);
      if (opener instanceof HTMLElement) opener.focus();
    };
    // The menu is new each time it opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => box.current?.querySelector("button")?.focus(), [isAsking]);
  return (
    <div ref={box}>
      {isAsking ? (
        <EraseQuestion onClose={onClose} />
      ) : (
        <Items onClose={onClose} onErase={() => setAsking(true)} />
      )}
    </div>
  );
}

function EraseQuestion({ onClose }: { onClose: () => void }) {
  const { chat, words } = usePanel();
  return (
    // Keys reach the dialog from its buttons.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div class="menu" role="alertdialog" aria-label={words.erase} onKeyDown={escape(onClose)}>
      <p>{words.eraseAsk}</p>
      <div class="row">
        <button type="button" class="quiet" onClick={onClose}>
          {words.cancel}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            void chat.erase();
          }}
        >
          {words.eraseYes}
        </button>
      </div>
    </div>
  );
}

function Items({ onClose, onErase }: { onClose: () => void; onErase: () => void }) {
  const { chat, words, state } = usePanel();
  const { isSoundOn, config, conversation } = state;
  const close = (act: () => void) => () => {
    act();
    onClose();
  };
  return (
    <div
      class="menu"
      role="menu"
      aria-label={words.menu}
      tabIndex={-1}
      onKeyDown={moveInMenu(onClose)}
    >
      <button type="button" role="menuitem" onClick={close(() => chat.setSound(!isSoundOn))}>
        <Icon name={isSoundOn ? "mute" : "sound"} />
        {isSoundOn ? words.soundOff : words.soundOn}
      </button>
      {conversation !== null && (
        <button type="button" role="menuitem" onClick={close(() => void download(chat))}>
          <Icon name="download" />
          {words.transcript}
        </button>
      )}
      {conversation !== null && config.settings.lets_visitor_erase && (
        <button type="button" role="menuitem" onClick={onErase}>
          <Icon name="trash" />
          {words.erase}
        </button>
      )}
    </div>
  );
}

function escape(onClose: () => void) {
  return (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onClose();
  };
}

function moveInMenu(onClose: () => void) {
  return (event: KeyboardEvent): void => {
    escape(onClose)(event);
    if (event.key === "Tab") onClose();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const items = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === "ArrowDown" ? 1 : -1;
    items[(at + step + items.length) % items.length]?.focus();
  };
}

/** A link cannot carry the token, so the file is fetched first. */
async function download(chat: PanelChat): Promise<void> {
  const file = await chat.readTranscript();
  if (file === null) return;
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = "chat.txt";
  link.click();
  URL.revokeObjectURL(url);
}
