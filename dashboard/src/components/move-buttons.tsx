import { ActionIcon } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { softDisabledButton } from "../lib/soft-disabled-button.ts";

interface MoveButtonsProps {
  labels: { previous: string; next: string };
  /** The rows before and after the shown one in the list; null where there is none. */
  previous: number | null;
  next: number | null;
  onMove: (id: number) => void;
}

/** Buttons of a drawer that go along the list behind it. The arrows and j and k do the same. */
export function MoveButtons({ labels, previous, next, onMove }: MoveButtonsProps) {
  const move = (to: number | null): void => {
    if (to !== null) onMove(to);
  };
  useMoveKeys({ onPrevious: () => move(previous), onNext: () => move(next) });
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={labels.previous}
        {...softDisabledButton(previous === null, () => move(previous))}
      >
        <IconChevronUp size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={labels.next}
        {...softDisabledButton(next === null, () => move(next))}
      >
        <IconChevronDown size={18} />
      </ActionIcon>
    </>
  );
}

/** Elements that use letters or arrows themselves. */
const ownKeys = "input, textarea, select, pre, [role=menu], [role=listbox], [contenteditable]";

function useMoveKeys({ onPrevious, onNext }: { onPrevious: () => void; onNext: () => void }) {
  useWindowEvent("keydown", (event) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (altKey || ctrlKey || metaKey || shiftKey) return;
    if (target instanceof Element && target.closest(ownKeys) !== null) return;
    if (key === "ArrowUp" || key === "k") onPrevious();
    else if (key === "ArrowDown" || key === "j") onNext();
    else return;
    event.preventDefault();
  });
}
