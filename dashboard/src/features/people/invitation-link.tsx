import { useTranslation } from "react-i18next";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import type { SentInvitation } from "./api.ts";

interface InvitationLinkProps {
  sent: SentInvitation;
  onClose: () => void;
}

/** Dialog that shows the link of an invitation once; nothing for a mailed invitation. */
export function InvitationLink({ sent: { email, url }, onClose }: InvitationLinkProps) {
  const { t } = useTranslation();
  if (url === null) return null;
  return (
    <OneTimeSecretModal
      title={t("people.invited", { email })}
      text={t("people.invited_text")}
      label={t("people.link")}
      value={url}
      onClose={onClose}
    />
  );
}
