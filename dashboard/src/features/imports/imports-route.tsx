import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { Page } from "../../components/page.tsx";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { useSession } from "../../lib/session.ts";
import { ImportPage } from "./import-page.tsx";
import { ImportsPage } from "./imports-page.tsx";
import { NewImportPage } from "./new-import-page.tsx";

/** The list of imports, the upload of a new one, or one import. Only admins import. */
export function ImportsRoute() {
  const { t } = useTranslation();
  const { role } = useSession();
  const { import: id } = useParams();
  if (role !== "admin") {
    return (
      <Page title={t("imports.title")}>
        <SettingsNav />
        <Empty title={t("imports.admins")} text={t("error.forbidden_role")} />
      </Page>
    );
  }
  if (id === undefined) return <ImportsPage />;
  // The key resets forms and filters for another import.
  return id === "new" ? <NewImportPage /> : <ImportPage key={id} id={Number(id)} />;
}
