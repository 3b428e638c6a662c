import { NumberInput, PasswordInput, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { providerKinds } from "../../../../core/model/agent.ts";
import { turnWord } from "../../components/agent/turn-words.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { accountQuery } from "../../lib/account.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSaveProvider, type Provider, type ProviderBody } from "./api.ts";

const millionth = 1_000_000;

interface ProviderModalProps {
  /** Null for a new provider. */
  row: Provider | null;
  onClose: () => void;
}

interface ProviderValues {
  kind: Provider["kind"];
  model: string;
  base_url: string;
  /** Empty: a stored key stays. */
  api_key: string;
  /** Prices in units of the account's currency. */
  input_price: number | string;
  output_price: number | string;
}

/** Dialog for a model provider. A stored key is never shown; an empty field keeps it. */
export function ProviderModal({ row, onClose }: ProviderModalProps) {
  const { t } = useTranslation();
  const save = useSaveProvider(row?.id ?? null);
  const form = useForm<ProviderValues>({ initialValues: valuesOf(row) });
  const send = form.onSubmit((values) =>
    save.mutate(bodyOf(values, row), {
      onSuccess: () => {
        tellDone(t("common.saved"));
        onClose();
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  );
  const isRefused = save.error !== null && Object.keys(fieldErrors(save.error)).length === 0;
  const title = t(row === null ? "agent.add_provider" : "agent.edit_provider");
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={send} noValidate>
        <Stack gap="sm">
          <ProviderFields form={form} isNew={row === null} />
          <PriceFields form={form} />
          <FormFoot
            error={isRefused ? errorText(save.error) : null}
            submit={t("common.save")}
            pending={save.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

function valuesOf(row: Provider | null): ProviderValues {
  return {
    kind: row?.kind ?? providerKinds[0],
    model: row?.model ?? "",
    base_url: row?.base_url ?? "",
    api_key: "",
    input_price: (row?.input_price ?? 0) / millionth,
    output_price: (row?.output_price ?? 0) / millionth,
  };
}

function bodyOf({ api_key: key, ...values }: ProviderValues, row: Provider | null): ProviderBody {
  const url = values.base_url.trim();
  return {
    ...values,
    ...(row !== null && key === "" ? {} : { api_key: key }),
    base_url: url === "" ? null : url,
    input_price: Math.round(Number(values.input_price) * millionth),
    output_price: Math.round(Number(values.output_price) * millionth),
  };
}

interface FieldsProps {
  form: UseFormReturnType<ProviderValues>;
}

function ProviderFields({ form, isNew }: FieldsProps & { isNew: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Select
        label={t("agent.provider")}
        allowDeselect={false}
        data={providerKinds.map((value) => ({ value, label: turnWord("engine", value) }))}
        {...form.getInputProps("kind")}
      />
      <TextInput
        label={t("agent.model")}
        description={t("agent.model_text")}
        maxLength={200}
        data-autofocus
        {...form.getInputProps("model")}
      />
      <TextInput
        label={t("agent.base_url")}
        description={t("agent.base_url_text")}
        placeholder="https://"
        maxLength={500}
        {...form.getInputProps("base_url")}
      />
      <PasswordInput
        label={t("agent.key")}
        description={t(isNew ? "agent.key_text" : "agent.key_stays")}
        autoComplete="off"
        maxLength={300}
        visibilityToggleButtonProps={{ "aria-label": t("agent.show_key") }}
        {...form.getInputProps("api_key")}
      />
    </>
  );
}

function PriceFields({ form }: FieldsProps) {
  const { t } = useTranslation();
  const currency = useQuery(accountQuery).data?.settings.currency ?? "";
  return (
    <SimpleGrid cols={2}>
      {(["input_price", "output_price"] as const).map((field) => (
        <NumberInput
          key={field}
          label={t(`agent.${field}`)}
          rightSection={currency}
          rightSectionWidth={52}
          min={0}
          decimalScale={4}
          allowNegative={false}
          hideControls
          {...form.getInputProps(field)}
        />
      ))}
    </SimpleGrid>
  );
}
