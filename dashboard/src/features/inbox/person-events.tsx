import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { LoadingRows } from "../../components/load-states.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import styles from "./contact-panel.module.css";

const ContactTimeline = lazyPart(
  async () => (await import("../../components/contact-timeline.tsx")).ContactTimeline,
);

/** Collapsed timeline of the contact, loaded when it is opened. */
export function PersonEvents({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
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
        {t("inbox.person_events")}
        <Chevron size={16} aria-hidden />
      </UnstyledButton>
      <div id={id} role="region" aria-label={t("inbox.person_events")} hidden={!shown}>
        {shown && (
          <Suspense fallback={<LoadingRows rows={3} />}>
            <ContactTimeline contactId={contactId} compact />
          </Suspense>
        )}
      </div>
    </div>
  );
}
