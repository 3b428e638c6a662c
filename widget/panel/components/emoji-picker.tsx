import { useEffect, useRef } from "preact/hooks";
import { usePanel } from "../context.ts";

const emoji = Array.from("😀😂🙂😉😍🥰😎🤔😅😢😡🙏👍👎👏🙌👋💪❤🎉🔥✅❓💡");
const columns = 8;

interface PickerProps {
  onChoose: (emoji: string) => void;
  onClose: () => void;
}

/** The 24 emoji that chats use most. The system's own picker has all others. */
export function EmojiPicker({ onChoose, onClose }: PickerProps) {
  const { words } = usePanel();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector("button")?.focus();
    const onDown = (event: Event): void => {
      if (!box.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    addEventListener("pointerdown", onDown);
    return () => removeEventListener("pointerdown", onDown);
    // The picker is new each time it opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (
    // Keys reach the dialog from its buttons.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      class="emoji"
      ref={box}
      role="dialog"
      aria-label={words.emoji}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          onClose();
        }
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[
          event.key
        ];
        if (step === undefined) return;
        event.preventDefault();
        const all = [...event.currentTarget.querySelectorAll("button")];
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        all[at + step]?.focus();
      }}
    >
      <div class="grid">
        {emoji.map((one) => (
          <button key={one} type="button" onClick={() => onChoose(one)}>
            {one}
          </button>
        ))}
      </div>
      <p>{words.emojiMore}</p>
    </div>
  );
}
