import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { linkOptionsQuery } from "../../lib/link-options.ts";
import { tellDone } from "../../lib/notify.ts";
import { useChangeProfile } from "../../lib/own-profile.ts";
import { useSession } from "../../lib/session.ts";

/**
 * Switch for mails about a conversation that needs the person. A disabled switch shows the reason.
 */
export function MailSwitch() {
  const { t } = useTranslation();
  const { user } = useSession();
  const options = useQuery(linkOptionsQuery);
  const change = useChangeProfile();
  const on = user.mail_needs_person;
  const obstacle = obstacleOf(options.data?.mail, user.email_confirmed);
  const text = obstacle === null ? t("profile.mail_text", { email: user.email }) : t(obstacle);
  return (
    <Switch
      label={t("profile.mail_needs_person")}
      description={text}
      checked={on}
      // A switch that is on can always be turned off.
      disabled={obstacle !== null && !on}
      // Not disabled while it saves, because a disabled field loses the keyboard focus.
      aria-busy={change.isPending}
      onChange={() => {
        if (change.isPending) return;
        change.mutate({ mail_needs_person: !on }, { onSuccess: () => tellDone(t("common.saved")) });
      }}
    />
  );
}

function obstacleOf(mailOn: boolean | undefined, confirmed: boolean) {
  if (mailOn === false) return "profile.mail_off" as const;
  return confirmed ? null : ("error.email_unconfirmed" as const);
}
