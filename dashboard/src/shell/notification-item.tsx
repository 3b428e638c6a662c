import { useTranslation } from "react-i18next";
import { VisuallyHidden } from "@mantine/core";
import { Link } from "react-router";
import { Moment } from "../components/moment.tsx";
import { NotificationMark } from "../components/notification-mark.tsx";
import styles from "../components/notification.module.css";
import {
  notificationStep,
  notificationTarget,
  useNotificationWords,
  type NotificationRow,
} from "../lib/notifications.ts";

/** One notification in the bell, with a link to its subject. */
export function NotificationItem({ row, onOpen }: { row: NotificationRow; onOpen: () => void }) {
  const { t } = useTranslation();
  const words = useNotificationWords(row);
  const to = notificationTarget(row);
  const step = notificationStep(row);
  const unread = row.read_at === null;
  const content = (
    <>
      <NotificationMark row={row} />
      <span className={styles["words"]}>
        <span className={styles["title"]} dir="auto">
          {unread && <VisuallyHidden>{t("bell.unread")}: </VisuallyHidden>}
          {words.title}
        </span>
        <span className={styles["text"]} title={words.body}>
          {words.body}
        </span>
      </span>
      {step === null || to === null ? (
        <span className={styles["time"]}>
          <Moment at={row.created_at} />
        </span>
      ) : (
        <span className={styles["fix"]} aria-hidden>
          {t(`bell.${step}`)}
        </span>
      )}
    </>
  );
  const look = { className: styles["row"], "data-unread": unread || undefined };
  if (to === null) return <div {...look}>{content}</div>;
  return (
    <Link {...look} to={to} onClick={onOpen}>
      {content}
    </Link>
  );
}
