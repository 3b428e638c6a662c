import { Checkbox, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { scopes, type Scope } from "../../../../core/model/principal.ts";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { WallField } from "../../components/wall-field.tsx";
import { NameField } from "../../components/name-field.tsx";
import { fieldErrors } from "../../lib/error-text.ts";
import { useMakeKey } from "./api.ts";
import { KeyExample } from "./key-example.tsx";

/** Dialog that asks for name and scopes of a new key, then shows the key once. */
export function MakeKeyModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const make = useMakeKey();
  if (make.data !== undefined) {
    return (
      <OneTimeSecretModal
        title={t("keys.made", { name: make.data.name })}
        text={t("keys.made_text")}
        label={t("keys.key")}
        value={make.data.key}
        onClose={onClose}
      >
        <KeyExample apiKey={make.data.key} scopes={make.data.scopes} />
      </OneTimeSecretModal>
    );
  }
  return (
    <Dialog onClose={onClose} title={t("keys.make")}>
      <KeyForm make={make} onClose={onClose} />
    </Dialog>
  );
}

interface KeyFormProps {
  make: ReturnType<typeof useMakeKey>;
  onClose: () => void;
}

function KeyForm({ make, onClose }: KeyFormProps) {
  const { t } = useTranslation();
  const form = useKeyForm();
  const send = form.onSubmit(({ name, scopes: chosen, expires }) =>
    make.mutate(
      {
        name,
        scopes: chosen,
        expires_at: expires === "" ? null : new Date(expires).toISOString(),
      },
      { onError: (error) => form.setErrors(fieldErrors(error)) },
    ),
  );
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <KeyFields form={form} />
        <MutationFoot mutation={make} submit={t("keys.make_submit")} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function useKeyForm() {
  const { t } = useTranslation();
  return useForm({
    mode: "uncontrolled",
    initialValues: { name: "", scopes: [] as Scope[], expires: "" },
    validate: { scopes: (chosen) => (chosen.length === 0 ? t("keys.no_scope") : null) },
  });
}

function KeyFields({ form }: { form: ReturnType<typeof useKeyForm> }) {
  const { t } = useTranslation();
  return (
    <>
      <NameField {...form.getInputProps("name")} />
      <Checkbox.Group label={t("keys.may")} {...form.getInputProps("scopes")}>
        <Stack gap="xs" mt="xs">
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`scope.${scope.replace(":", "_") as "bot_manage"}`)}
              description={scope}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <WallField
        kind="datetime"
        label={t("people.expires")}
        description={t("keys.expires_text")}
        {...form.getInputProps("expires")}
      />
    </>
  );
}
