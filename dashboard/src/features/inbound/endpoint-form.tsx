import { Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { maxNameLength } from "../../../../core/model/wire.ts";
import { FormFoot, SaveBar } from "../../components/form-foot.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { useRebase } from "../../lib/use-rebase.ts";
import type { Endpoint, EndpointInput } from "./api.ts";

interface EndpointFormProps {
  /** Present on the endpoint's page, where the form has a bar to save. */
  endpoint?: Endpoint;
  /** Word of the button of a new endpoint. */
  submit?: string;
  pending: boolean;
  /** `before`: the stored values. Resolves when the change is stored. @throws ApiError */
  onSubmit: (input: EndpointInput, before: EndpointInput) => Promise<unknown>;
  onCancel?: () => void;
  /** Further fields, shown first. */
  children?: ReactNode;
}

/** Form for the name of an endpoint and the required kind of signature. */
export function EndpointForm(props: EndpointFormProps) {
  const { t } = useTranslation();
  const { name = "", strict = false } = props.endpoint ?? {};
  const form = useForm({ initialValues: { name, strict } });
  useRebase(form, { name, strict });
  const send = form.onSubmit(async (values) => {
    try {
      await props.onSubmit(values, form.getInitialValues());
      form.resetDirty(values);
    } catch (error) {
      const fields = fieldErrors(error);
      form.setErrors("name" in fields ? fields : { form: errorText(error) });
    }
  });
  return (
    <form onSubmit={send}>
      <Stack gap="md">
        {props.children}
        <TextInput
          label={t("common.name")}
          required
          withAsterisk={false}
          maxLength={maxNameLength}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Switch
          label={t("inbound.strict")}
          description={t("inbound.strict_text")}
          {...form.getInputProps("strict", { type: "checkbox" })}
        />
        {props.submit === undefined ? (
          <SaveBar
            changed={form.isDirty()}
            error={form.errors["form"]}
            pending={props.pending}
            onReset={form.reset}
          />
        ) : (
          <FormFoot
            error={form.errors["form"]}
            submit={props.submit}
            pending={props.pending}
            onCancel={props.onCancel}
          />
        )}
      </Stack>
    </form>
  );
}
