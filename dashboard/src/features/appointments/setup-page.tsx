import { Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Page } from "../../components/page.tsx";
import { AgendaList } from "./agenda-list.tsx";
import { SectionNav } from "./section-nav.tsx";
import { ServiceList } from "./service-list.tsx";

/** Page of agendas and services. Admins change them; other members only read. */
export function SetupPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("setup.title")}>
      <SectionNav />
      <Stack gap="xl">
        <AgendaList />
        <ServiceList />
      </Stack>
    </Page>
  );
}
