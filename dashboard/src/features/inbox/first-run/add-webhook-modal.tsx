import { Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../../components/dialog.tsx";
import { FormFoot } from "../../../components/form-foot.tsx";
import { OneTimeSecretModal } from "../../../components/one-time-secret-modal.tsx";
import { errorText } from "../../../lib/error-text.ts";
import { useAddWebhook } from "./api.ts";

/** Dialog that adds a webhook for every event by its URL, and shows its secret once. */
export function AddWebhookModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [url, setUrl] = useState("");
  const add = useAddWebhook();
  if (add.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("webhooks.added")}
        text={t("webhooks.secret_text")}
        label={t("webhooks.secret")}
        value={add.data.secret}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog onClose={onClose} title={t("webhooks.add")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(url);
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="URL"
            description={t("first_run.webhook_text")}
            placeholder="https://example.com/hooks"
            required
            withAsterisk={false}
            maxLength={2_048}
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={add.isError ? errorText(add.error) : null}
          />
          <FormFoot
            error={null}
            submit={t("webhooks.add_submit")}
            pending={add.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
