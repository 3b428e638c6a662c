import { ActionIcon, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { paths } from "../../paths.ts";
import { useChangeEndpoint, useDeleteEndpoint, useRotateSecret, type Endpoint } from "./api.ts";

type Asked = "rotate" | "disable" | "delete";

/** Menu of an admin for an endpoint. Actions that callers would notice need a confirmation. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<Asked | null>(null);
  const change = useChangeEndpoint(endpoint);
  const onError = (error: unknown): void => tellFailure(t("inbound.not_changed"), error);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t("people.actions", { name: endpoint.name })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked("rotate")}>{t("inbound.rotate")}</Menu.Item>
          <Menu.Divider />
          {endpoint.enabled ? (
            <Menu.Item onClick={() => setAsked("disable")}>{t("inbound.disable")}</Menu.Item>
          ) : (
            <Menu.Item onClick={() => change.mutate({ enabled: true }, { onError })}>
              {t("inbound.enable")}
            </Menu.Item>
          )}
          <Menu.Item color="bad" onClick={() => setAsked("delete")}>
            {t("inbound.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked !== null && (
        <AskModal endpoint={endpoint} asked={asked} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

interface AskModalProps {
  endpoint: Endpoint;
  asked: Asked;
  onClose: () => void;
}

/** Dialog that describes an action and asks for confirmation. A new secret is then shown once. */
function AskModal({ endpoint, asked, onClose }: AskModalProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const rotate = useRotateSecret(endpoint);
  const remove = useDeleteEndpoint(endpoint);
  const change = useChangeEndpoint(endpoint);
  const onError = (error: unknown): void => tellFailure(t("inbound.not_changed"), error);
  const go: Record<Asked, () => void> = {
    rotate: () => rotate.mutate(undefined, { onError }),
    disable: () => change.mutate({ enabled: false }, { onError, onSuccess: onClose }),
    // The deletion unmounts this dialog before the answer arrives, so hook callbacks would not run.
    delete: () =>
      void remove.mutateAsync(undefined).then(async () => await navigate(paths.inbound), onError),
  };
  if (rotate.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("inbound.rotated")}
        text={t("inbound.rotated_text")}
        label={t("inbound.secret")}
        value={rotate.data}
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmModal
      title={t(`ask.${asked}`, { name: endpoint.name })}
      text={t(`inbound.${asked}_text`)}
      action={t(`inbound.${asked}`)}
      keep={asked === "delete" ? t("common.keep") : undefined}
      color={asked === "rotate" ? undefined : "bad"}
      pending={rotate.isPending || remove.isPending || change.isPending}
      onConfirm={go[asked]}
      onClose={onClose}
    />
  );
}
