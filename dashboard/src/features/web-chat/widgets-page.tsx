import { Button, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMessageCircle, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { RowLink, WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { paths, widgetPath } from "../../paths.ts";
import { AddWidgetModal } from "./add-widget-modal.tsx";
import { widgetsQuery, type Widget } from "../../lib/widgets.ts";
import { SeenStatus } from "./seen-status.tsx";

/** Page for admins: the widgets of web chat, and a dialog that adds one. */
export function WidgetsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role === "admin") return <Looked />;
  return (
    <Page title={t("web_chat.title")}>
      <Empty title={t("channels.admins")} text={t("error.forbidden_role")} />
    </Page>
  );
}

function Looked() {
  const { t } = useTranslation();
  const [adding, add] = useDisclosure(false);
  const widgets = useQuery(widgetsQuery);
  return (
    <Page
      title={t("web_chat.title")}
      parent={{ to: paths.channels, label: t("channels.title") }}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
          {t("web_chat.add")}
        </Button>
      }
    >
      <QueryState query={widgets}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyList
              title={t("web_chat.empty")}
              text={t("web_chat.empty_text")}
              first={t("web_chat.add_first")}
              hint={t("web_chat.add_first_hint")}
              icon={IconMessageCircle}
              onFirst={add.open}
            />
          ) : (
            <Widgets rows={rows} />
          )
        }
      </QueryState>
      {adding && <AddWidgetModal onClose={add.close} />}
    </Page>
  );
}

function Widgets({ rows }: { rows: Widget[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("web_chat.title")}
      minWidth={760}
      heads={[t("common.name"), t("web_chat.sites"), t("web_chat.seen_head")]}
    >
      {rows.map((row) => (
        <Table.Tr key={row.id}>
          <Table.Td maw={320}>
            <RowLink to={widgetPath(row.id)}>
              <Text span inherit truncate display="block">
                {row.name}
              </Text>
            </RowLink>
          </Table.Td>
          <Table.Td maw={320}>
            <Sites origins={row.allowed_origins} />
          </Table.Td>
          <Table.Td>
            <SeenStatus widget={row} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

function Sites({ origins }: { origins: string[] }) {
  const { t } = useTranslation();
  const [first, ...more] = origins;
  if (first === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t("web_chat.any_site")}
      </Text>
    );
  }
  const site = first.replace(/^https:\/\//u, "");
  return (
    <Text size="sm" truncate title={origins.join("\n")}>
      <bdi>{site}</bdi>
      {more.length > 0 && ` ${t("web_chat.more_sites", { count: more.length })}`}
    </Text>
  );
}
