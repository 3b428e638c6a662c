import { Paper, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { AccountView } from "../../../../core/model/account.ts";
import { currencies } from "../../../../core/model/money.ts";
import { SaveBar } from "../../components/form-foot.tsx";
import { Moment } from "../../components/moment.tsx";
import { TimeZoneSelect } from "../../components/time-zone-select.tsx";
import { differenceOf } from "../../lib/difference.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { changeOf, useAccountForm, valuesOf, type FieldsProps } from "./account-values.ts";
import { useChangeAccount } from "./api.ts";
import { BookingFields } from "./booking-fields.tsx";
import { BookingPageFields } from "./booking-page-fields.tsx";
import { HandoffFields } from "./handoff-fields.tsx";

/** Form for the account's settings. Admins change them; agents only read them. */
export function AccountForm({ account }: { account: AccountView }) {
  const { t } = useTranslation();
  const isAdmin = useSession().role === "admin";
  const form = useAccountForm(account);
  const change = useChangeAccount();
  const send = form.onSubmit(async (values) => {
    try {
      const saved = valuesOf(await change.mutateAsync(changeOf(values, form.getInitialValues())));
      form.setInitialValues(saved);
      // Text that was typed during the save is not saved yet.
      form.setValues((typed) => ({ ...saved, ...differenceOf(typed, values) }));
      form.setDirty({});
      tellDone(t("common.saved"));
    } catch (error) {
      form.setErrors(errorsOf(error));
    }
  });
  return (
    <form onSubmit={send} noValidate>
      <Stack maw={640}>
        {!isAdmin && <Text c="dimmed">{t("settings.read_only")}</Text>}
        <AccountFields form={form} readOnly={!isAdmin} />
        <HandoffFields form={form} readOnly={!isAdmin} />
        <BookingFields form={form} readOnly={!isAdmin} />
        <BookingPageFields form={form} readOnly={!isAdmin} />
        {isAdmin && (
          <SaveBar
            changed={form.isDirty()}
            error={form.errors["form"]}
            pending={change.isPending}
            onReset={form.reset}
          />
        )}
        <Text size="xs" c="dimmed" ta="right" role="status">
          {form.isDirty() ? t("settings.not_saved_yet") : t("settings.all_saved")}{" "}
          <Moment at={account.updated_at} />
        </Text>
      </Stack>
    </form>
  );
}

/** Error message per field. Other errors belong to `form`. */
function errorsOf(error: unknown): Record<string, string> {
  const fields = Object.entries(fieldErrors(error)).map(([path, message]) => [
    path.replace(/^settings\./, ""),
    message,
  ]);
  return fields.length === 0 ? { form: errorText(error) } : Object.fromEntries(fields);
}

function AccountFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("settings.account")}</Title>
        <TextInput
          label={t("common.name")}
          description={t("settings.name_text")}
          maxLength={200}
          required
          withAsterisk={false}
          readOnly={readOnly}
          {...form.getInputProps("name")}
        />
        <TimeZoneSelect
          readOnly={readOnly}
          {...form.getInputProps("time_zone")}
          value={form.values.time_zone}
        />
        <Select
          label={t("settings.language")}
          description={t("settings.language_text")}
          allowDeselect={false}
          readOnly={readOnly}
          data={[
            { value: "en", label: "English" },
            { value: "es", label: "Español" },
          ]}
          {...form.getInputProps("locale")}
        />
        <Select
          label={t("settings.currency")}
          description={t("settings.currency_text")}
          allowDeselect={false}
          searchable
          nothingFoundMessage={t("palette.nothing")}
          readOnly={readOnly}
          data={currencies}
          {...form.getInputProps("currency")}
        />
      </Stack>
    </Paper>
  );
}
