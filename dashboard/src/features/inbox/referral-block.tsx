import { useTranslation } from "react-i18next";
import type { ReferralView } from "../../../../core/model/referral.ts";
import { BlockTitle } from "./block-title.tsx";
import styles from "./contact-panel.module.css";
import { ReferralCard } from "./message-extras.tsx";

/** The ad, post or link that last brought the customer into this conversation. */
export function ReferralBlock({ referral }: { referral: ReferralView }) {
  const { t } = useTranslation();
  const word = t("files.referral");
  return (
    <div className={styles["block"]} role="group" aria-label={word}>
      <BlockTitle>{word}</BlockTitle>
      <ReferralCard referral={referral} />
    </div>
  );
}
