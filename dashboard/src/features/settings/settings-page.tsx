import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { AccountForm } from "./account-form.tsx";
import { useSession } from "../../lib/session.ts";
import { accountQuery } from "../../lib/account.ts";
import { CannedAnswers } from "./canned-answers.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Macros } from "./macros.tsx";
import { RetentionTable } from "./retention-table.tsx";

/** Page of the account's settings, and of the retention times of the server. */
export function SettingsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const query = useQuery(accountQuery);
  return (
    <Page form title={t("settings.title")}>
      <SettingsNav />
      <Stack gap="xl">
        <QueryState query={query}>{(account) => <AccountForm account={account} />}</QueryState>
        <CannedAnswers />
        <Macros />
        {role === "admin" && <FirstSteps />}
        <RetentionTable />
      </Stack>
    </Page>
  );
}
