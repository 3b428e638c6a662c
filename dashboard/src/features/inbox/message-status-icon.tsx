import {
  IconAlertCircle,
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { MessageStatus } from "../../../../core/model/message.ts";
import styles from "./thread.module.css";

const icons: Record<MessageStatus, Icon> = {
  received: IconCheck,
  queued: IconClock,
  sending: IconClock,
  sent: IconCheck,
  delivered: IconChecks,
  read: IconChecks,
  failed: IconAlertCircle,
  cancelled: IconBan,
};

/** Icon and word for the status of a message. */
export function MessageStatusIcon({ status }: { status: MessageStatus }) {
  const { t } = useTranslation();
  const Picture = icons[status];
  return (
    <span className={styles["state"]} data-delivery={status}>
      <Picture size={13} stroke={2} aria-hidden />
      {t(`message_status.${status}`)}
    </span>
  );
}
