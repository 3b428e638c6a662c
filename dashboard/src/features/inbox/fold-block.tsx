import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Suspense, useId, type ReactNode } from "react";
import { LoadingRows } from "../../components/load-states.tsx";
import styles from "./contact-panel.module.css";

/** A collapsed part of the contact's card. Its content is rendered when it is opened. */
export function FoldBlock({ title, children }: { title: string; children: ReactNode }) {
  const [shown, { toggle }] = useDisclosure(false);
  const id = useId();
  const Chevron = shown ? IconChevronDown : IconChevronRight;
  return (
    <div className={styles["block"]}>
      <UnstyledButton
        className={styles["fold"] ?? ""}
        aria-expanded={shown}
        aria-controls={id}
        onClick={toggle}
      >
        {title}
        <Chevron size={16} aria-hidden />
      </UnstyledButton>
      <div id={id} role="region" aria-label={title} hidden={!shown}>
        {shown && <Suspense fallback={<LoadingRows rows={3} />}>{children}</Suspense>}
      </div>
    </div>
  );
}
