import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ContactVisitsView } from "../../../../core/model/visits.ts";
import { Moment } from "../../components/moment.tsx";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { BlockTitle } from "./block-title.tsx";
import styles from "./contact-panel.module.css";

type Visit = ContactVisitsView["visits"][number];

/** The page that the visitor of web chat is on, what the site tells, and earlier visits. Nothing without a visit. */
export function VisitsBlock({ contactId }: { contactId: number }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: liveKeys.visits(contactId),
    queryFn: async () => await callApi("GET /contacts/:id/visits", { id: contactId }),
  });
  if (data === undefined || (data.page === null && data.visits.length === 0)) return null;
  const { page, visits, context } = data;
  const facts = Object.entries(context);
  const earlier = visits.filter(({ page_at }) => page_at !== page?.at);
  const word = t("web_chat.visits.title");
  return (
    <div className={styles["block"]} role="group" aria-label={word}>
      <BlockTitle>{word}</BlockTitle>
      {page !== null && (
        <PageLine label={t("web_chat.visits.page")} url={page.url} title={page.title}>
          <Moment at={page.at} />
        </PageLine>
      )}
      {facts.length > 0 && (
        <>
          <Text size="xs" c="dimmed" mt={8}>
            {t("web_chat.visits.context")}
          </Text>
          <dl className={styles["data"]}>
            {facts.map(([key, value]) => (
              <Fragment key={key}>
                <dt dir="auto">{key}</dt>
                <dd dir="auto">{value}</dd>
              </Fragment>
            ))}
          </dl>
        </>
      )}
      {earlier.length > 0 && (
        <>
          <Text size="xs" c="dimmed" mt={8}>
            {t("web_chat.visits.earlier")}
          </Text>
          <ul className={styles["rows"]}>
            {earlier.map((visit) => (
              <li key={visit.started_at}>
                <VisitLine visit={visit} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function VisitLine({ visit: { url, title, pages, referrer, started_at } }: { visit: Visit }) {
  const { t } = useTranslation();
  const site = referrer === null ? null : new URL(referrer).host;
  return (
    <PageLine url={url} title={title}>
      <Moment at={started_at} /> · {t("web_chat.visits.pages", { count: pages })}
      {site !== null && ` · ${t("web_chat.visits.from", { site })}`}
    </PageLine>
  );
}

interface PageLineProps {
  label?: string;
  url: string;
  title: string;
  children: ReactNode;
}

/** A page as a link. The visitor's browser has named both, so the address stays visible. */
function PageLine({ label, url, title, children }: PageLineProps) {
  const { host, pathname, search } = new URL(url);
  const address = `${host}${pathname}${search}`;
  return (
    <div>
      {label !== undefined && (
        <Text size="xs" c="dimmed">
          {label}
        </Text>
      )}
      <Anchor
        className={styles["cut"] ?? ""}
        display="block"
        size="sm"
        href={url}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        title={address}
        dir="auto"
      >
        {title || address}
      </Anchor>
      {title !== "" && (
        <Text className={styles["cut"] ?? ""} size="xs" c="dimmed" dir="ltr">
          {address}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {children}
      </Text>
    </div>
  );
}
