import { IconCalendarEvent, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { exportsQuery } from "../../lib/exports.ts";
import { useSession } from "../../lib/session.ts";
import { offsetIn, useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import { ExportTable } from "./export-table.tsx";

/** List of the account's exports, newest first. Only admins export. */
export function ExportsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  return (
    <Page title={t("exports.list.title")}>
      <SettingsNav />
      {role === "admin" ? (
        <Exports />
      ) : (
        <Empty title={t("exports.list.admins")} text={t("error.forbidden_role")} />
      )}
    </Page>
  );
}

function Exports() {
  const [params, set] = useUrlFilters();
  const offset = offsetIn(params);
  const query = useQuery(exportsQuery(offset));
  return (
    <QueryState query={query}>
      {({ data, meta }) =>
        meta.total === 0 ? (
          <NoExports />
        ) : (
          <>
            <ExportTable rows={data} />
            <Pager
              meta={meta}
              onMove={(to, how) => set("offset", to === 0 ? null : String(to), how)}
            />
          </>
        )
      }
    </QueryState>
  );
}

function NoExports() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <EmptyWithSteps
      title={t("exports.list.empty")}
      text={t("exports.list.empty_text")}
      steps={[
        {
          icon: IconUsers,
          hue: "indigo",
          title: t("exports.list.open.contacts"),
          text: t("exports.list.first_text"),
          onClick: () => void navigate(paths.contacts),
        },
        {
          icon: IconCalendarEvent,
          hue: "teal",
          title: t("exports.list.open.appointments"),
          text: t("exports.list.first_text"),
          onClick: () => void navigate(paths.appointments),
        },
      ]}
    />
  );
}
