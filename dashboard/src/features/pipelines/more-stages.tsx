import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import styles from "./board.module.css";

/** Counts the columns that are cut off or hidden at the right edge of the board. */
export function useHiddenStages() {
  const ref = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState(0);
  const look = (): void => {
    const board = ref.current;
    if (board === null) return;
    const right = board.getBoundingClientRect().right;
    const beyond = Array.from(board.children).filter(
      (column) => column.getBoundingClientRect().right > right + 1,
    );
    setHidden(beyond.length);
  };
  useEffect(() => {
    const board = ref.current;
    if (board === null) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(board);
    // A stage that is added or deleted changes the columns and not the size of the board.
    const columns = new MutationObserver(look);
    columns.observe(board, { childList: true });
    return () => {
      observer.disconnect();
      columns.disconnect();
    };
  }, []);
  return { ref, look, hidden };
}

interface MoreStagesProps {
  board: RefObject<HTMLElement | null>;
  hidden: number;
}

/** Button at the right edge: the number of stages that follow. It scrolls to the next of them. */
export function MoreStages({ board: ref, hidden }: MoreStagesProps) {
  const { t } = useTranslation();
  if (hidden === 0) return null;
  const scroll = (): void => {
    const board = ref.current;
    const next = board?.children[board.children.length - hidden];
    next?.scrollIntoView({ block: "nearest", inline: "end" });
  };
  return (
    <>
      <div className={styles["fade"]} aria-hidden />
      <UnstyledButton className={styles["more"] ?? ""} onClick={scroll}>
        {t("pipelines.more_stages", { count: hidden })}
        <IconChevronRight size={14} stroke={1.75} aria-hidden />
      </UnstyledButton>
    </>
  );
}
