import { SegmentedControl } from "@mantine/core";
import { IconBellCog } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { Empty, EmptyWithSteps } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import styles from "../../components/notification.module.css";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { useMarkRead } from "../../lib/notifications.ts";
import { offsetIn, useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import { groupsQuery } from "./api.ts";
import { GroupItem } from "./group-item.tsx";

/** Page of all notifications, grouped by cause, each with an action. */
export function NotificationsPage() {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const unread = params.get("unread") === "true";
  const query = groupsQuery(unread, offsetIn(params));
  const groups = useQuery({ ...query, placeholderData: keepPreviousData });
  const markRead = useMarkRead();
  const button = (groups.data?.meta.unread ?? 0) > 0 && (
    <PendingButton
      variant="default"
      pending={markRead.isPending}
      onClick={() => markRead.mutate("all")}
    >
      {t("bell.read_all")}
    </PendingButton>
  );
  return (
    <Page title={t("notices.title")} action={button}>
      <SegmentedControl
        mb="md"
        aria-label={t("notices.which")}
        value={unread ? "unread" : "all"}
        onChange={(which) => set("unread", which === "unread" ? "true" : null)}
        data={[
          { value: "all", label: t("notices.all") },
          { value: "unread", label: t("bell.unread") },
        ]}
      />
      <QueryState query={groups}>
        {({ data, meta }) => (
          <>
            {meta.total === 0 && <Nothing unread={unread} />}
            {data.length > 0 && (
              <ul className={styles["list"]}>
                {data.map((group) => (
                  <li key={group.group_key}>
                    <GroupItem group={group} />
                  </li>
                ))}
              </ul>
            )}
            <Pager
              meta={meta}
              onMove={(offset, how) => set("offset", offset === 0 ? null : String(offset), how)}
            />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function Nothing({ unread }: { unread: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (!unread) {
    const step = {
      icon: IconBellCog,
      hue: "indigo",
      title: t("notices.choose"),
      text: t("notices.choose_hint"),
      onClick: () => void navigate(paths.profile),
    } as const;
    return <EmptyWithSteps title={t("notices.empty")} text={t("bell.empty")} steps={[step]} />;
  }
  return <Empty title={t("notices.all_read")} text={t("notices.all_read_text")} />;
}
