import { Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { useRotateKey, type ApiKey } from "./api.ts";
import { KeyExample } from "./key-example.tsx";

/** Hours for which an old key may stay valid. */
const overlaps = ["0", "1", "24", "168"] as const;

/** Dialog that asks how long the old key stays valid, then shows the successor once. */
export function RotateModal({ row, onClose }: { row: ApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const [hours, setHours] = useState<string>("24");
  const rotate = useRotateKey();
  if (rotate.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("keys.rotated", { name: row.name })}
        text={t("keys.rotated_text")}
        label={t("keys.key")}
        value={rotate.data.key}
        onClose={onClose}
      >
        <KeyExample apiKey={rotate.data.key} scopes={row.scopes} />
      </OneTimeSecretModal>
    );
  }
  return (
    <Dialog onClose={onClose} title={t("keys.rotate_title", { name: row.name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate({ id: row.id, overlap_hours: Number(hours) });
        }}
      >
        <Stack gap="sm">
          <Text size="sm">{t("keys.rotate_text")}</Text>
          <Select
            label={t("keys.overlap")}
            allowDeselect={false}
            value={hours}
            onChange={(value) => setHours(value ?? "24")}
            data={overlaps.map((value) => ({ value, label: t(`keys.overlaps.${value}`) }))}
          />
          <MutationFoot mutation={rotate} submit={t("keys.rotate")} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
