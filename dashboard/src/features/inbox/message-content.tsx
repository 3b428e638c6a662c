import { IconBan } from "@tabler/icons-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import { filesOf } from "./message-files.ts";
import { ChoiceLine, OptionList, ReferralCard } from "./message-extras.tsx";
import styles from "./thread.module.css";

const AttachedFile = lazyPart(async () => (await import("./attached-file.tsx")).AttachedFile);

/**
 * Content of a message: where it came from, files, then text or caption with links. A message
 * without any of them shows its type.
 */
export function MessageContent({ message }: { message: MessageView }) {
  const { t } = useTranslation();
  const { type, content, referral, interactive } = message;
  if (message.deleted_at !== null) {
    return (
      <span className={styles["deleted"]}>
        <IconBan size={15} aria-hidden /> {t("inbox.deleted")}
      </span>
    );
  }
  const files = filesOf(message);
  const isBare = files.length === 0 && content === null && referral === null;
  return (
    <>
      {referral !== null && <ReferralCard referral={referral} />}
      {files.map((file) => (
        <Suspense key={file.key} fallback={<div className={styles["file"]} />}>
          <AttachedFile file={file} caption={content} />
        </Suspense>
      ))}
      {isBare && `[${t(`message_type.${type}`)}]`}
      {content !== null && files.length === 0 && <LinkedText text={content} />}
      {content !== null && files.length > 0 && (
        <div className={styles["caption"]}>
          <LinkedText text={content} />
        </div>
      )}
      {interactive !== null &&
        (message.direction === "outbound" ? (
          <OptionList interactive={interactive} />
        ) : (
          <ChoiceLine interactive={interactive} />
        ))}
    </>
  );
}
