import { Paper, Select, Stack, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Page } from "../../components/page.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellDone } from "../../lib/notify.ts";
import { useChangeProfile } from "../../lib/own-profile.ts";
import { useSession } from "../../lib/session.ts";
import { NotificationTable } from "./notification-table.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SessionList } from "./session-list.tsx";

/** Page of the user's own profile. */
export function ProfilePage() {
  const { t } = useTranslation();
  return (
    <Page form title={t("profile.title")}>
      <Stack gap="xl">
        <Paper withBorder p="lg" maw={520}>
          <ProfileForm />
        </Paper>
        <Paper withBorder p="lg" maw={720}>
          <Title order={2} mb="sm">
            {t("choices.title")}
          </Title>
          <NotificationTable />
        </Paper>
        <Paper withBorder p="lg" maw={520}>
          <Title order={2} mb="sm">
            {t("profile.password")}
          </Title>
          <PasswordForm />
        </Paper>
        <SessionList />
      </Stack>
    </Page>
  );
}

function ProfileForm() {
  const { t } = useTranslation();
  const { user } = useSession();
  const change = useChangeProfile();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: user.name, locale: user.locale ?? "account" },
  });
  const save = form.onSubmit(({ name, locale }) => {
    const chosen = locale === "en" || locale === "es" ? locale : null;
    change.mutate({ name, locale: chosen }, { onSuccess: () => tellDone(t("common.saved")) });
  });
  return (
    <form onSubmit={save}>
      <Stack gap="sm" align="flex-start">
        <TextInput
          w="100%"
          label={t("common.name")}
          maxLength={200}
          required
          withAsterisk={false}
          {...form.getInputProps("name")}
        />
        <Select
          w="100%"
          label={t("profile.language")}
          allowDeselect={false}
          data={[
            { value: "account", label: t("profile.account_language") },
            { value: "en", label: "English" },
            { value: "es", label: "Español" },
          ]}
          {...form.getInputProps("locale")}
        />
        <PendingButton type="submit" pending={change.isPending}>
          {t("common.save")}
        </PendingButton>
      </Stack>
    </form>
  );
}
