import { Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { endpointKinds, type EndpointKind } from "../../../../core/model/inbound.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { useAddEndpoint } from "./api.ts";
import { EndpointForm } from "./endpoint-form.tsx";

/**
 * Dialog that asks which system calls, then shows URL and secret. The secret is shown only once.
 */
export function AddModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<EndpointKind>("inbound");
  const add = useAddEndpoint();
  if (add.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("inbound.added", { name: add.data.name })}
        text={t("inbound.secret_text")}
        label={t("inbound.secret")}
        value={add.data.secret}
        onClose={onClose}
      >
        <CopyText value={add.data.url ?? ""} label="URL" />
      </OneTimeSecretModal>
    );
  }
  return (
    <Dialog onClose={onClose} title={t("inbound.add")} size="lg">
      <EndpointForm
        submit={t("inbound.add_submit")}
        pending={add.isPending}
        onSubmit={async (input) => await add.mutateAsync({ ...input, kind })}
        onCancel={onClose}
      >
        <Radio.Group
          label={t("inbound.what")}
          value={kind}
          onChange={(value) => setKind(endpointKinds.find((one) => one === value) ?? "inbound")}
        >
          <Stack gap="xs" mt="xs">
            {endpointKinds.map((one) => (
              <Radio
                key={one}
                value={one}
                label={t(`inbound.kind.${one}`)}
                description={t(`inbound.kind_text.${one}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
      </EndpointForm>
    </Dialog>
  );
}
