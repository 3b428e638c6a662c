import { ActionIcon, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { paths } from "../../paths.ts";
import { useDeleteWidget } from "./api.ts";
import { type Widget } from "../../lib/widgets.ts";

/** Menu of a widget's page, with its deletion. */
export function WidgetActions({ widget }: { widget: Widget }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asking, ask] = useDisclosure(false);
  const remove = useDeleteWidget(widget.id);
  const { name } = widget;
  // The page is gone before the call ends, and callbacks of `mutate` would not run then.
  const confirm = (): void => {
    remove.mutateAsync(undefined).then(
      () => {
        tellDone(t("web_chat.deleted"));
        void navigate(paths.webChat);
      },
      (error: unknown) => tellFailure(t("web_chat.not_deleted"), error),
    );
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t("people.actions", { name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="bad" onClick={ask.open}>
            {t("web_chat.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asking && (
        <ConfirmModal
          title={t("web_chat.delete_ask", { name })}
          text={t("web_chat.delete_text")}
          action={t("web_chat.delete")}
          keep={t("common.keep")}
          color="bad"
          pending={remove.isPending}
          onConfirm={confirm}
          onClose={ask.close}
        />
      )}
    </>
  );
}
