import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBan, IconCircleCheck, IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { linkOptionsQuery } from "../../lib/link-options.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useChangeMember, useResetPassword, type Member } from "./api.ts";

/** Menu of an admin for another member. */
export function MemberActions({ member }: { member: Member }) {
  const { id, name } = member;
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const change = useChangeMember();
  const reset = useResetPassword();
  const setDisabled = (disabled: boolean): void =>
    change.mutate(
      { id, disabled },
      {
        onSuccess: ask.close,
        onError: (error) => tellFailure(t("people.not_changed", { name }), error),
      },
    );
  const makeLink = (): void =>
    reset.mutate(id, {
      onSuccess: ({ url }) => url === null && tellDone(t("people.mailed", { email: member.email })),
      onError: (error) => tellFailure(t("people.no_link"), error),
    });
  return (
    <>
      <MemberMenu
        member={member}
        onReset={makeLink}
        onDisable={ask.open}
        onEnable={() => setDisabled(false)}
      />
      {asking && (
        <ConfirmModal
          title={t("people.disable_title", { name })}
          text={t("people.disable_text")}
          action={t("people.disable")}
          color="bad"
          pending={change.isPending}
          onConfirm={() => setDisabled(true)}
          onClose={ask.close}
        />
      )}
      {reset.data !== undefined && reset.data.url !== null && (
        <OneTimeSecretModal
          title={t("people.reset_title", { name })}
          text={t("people.reset_text")}
          label={t("people.link")}
          value={reset.data.url}
          onClose={reset.reset}
        />
      )}
    </>
  );
}

interface MemberMenuProps {
  member: Member;
  onReset: () => void;
  onDisable: () => void;
  onEnable: () => void;
}

function MemberMenu({ member: { name, disabled_at }, ...on }: MemberMenuProps) {
  const { t } = useTranslation();
  const options = useQuery(linkOptionsQuery);
  return (
    <RowMenu name={name}>
      <Menu.Item leftSection={<IconKey size={16} />} onClick={on.onReset}>
        {t(options.data?.mail === true ? "people.reset_mail" : "people.reset")}
      </Menu.Item>
      {disabled_at === null ? (
        <Menu.Item color="bad" leftSection={<IconBan size={16} />} onClick={on.onDisable}>
          {t("people.disable")}
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconCircleCheck size={16} />} onClick={on.onEnable}>
          {t("people.enable")}
        </Menu.Item>
      )}
    </RowMenu>
  );
}
