import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCircleX, IconExternalLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import type { Connection } from "./api.ts";
import styles from "./calendars.module.css";
import type { Remedy, Trouble } from "./trouble.ts";

interface TroubleRowProps {
  connection: Connection;
  trouble: Trouble;
  onConnect: () => void;
}

/** A trouble of a connection, with the button that ends it. */
export function TroubleRow({ connection, trouble, onConnect }: TroubleRowProps) {
  const { t } = useTranslation();
  const { title, text, tone, remedy } = trouble;
  const Picture = tone === "bad" ? IconCircleX : IconAlertTriangle;
  return (
    <div className={styles["trouble"]} data-tone={tone}>
      <Picture size={18} aria-hidden />
      <div className={styles["troubleWords"]}>
        <b>{title}</b>
        <span>
          {text}
          {connection.error_at !== null && (
            <>
              {" "}
              {t("calendars.failed_at")} <Moment at={connection.error_at} />.
            </>
          )}
        </span>
      </div>
      {remedy !== null && <RemedyButton remedy={remedy} onConnect={onConnect} />}
    </div>
  );
}

interface RemedyButtonProps extends Pick<TroubleRowProps, "onConnect"> {
  remedy: Remedy;
}

/** Google Cloud page that turns on the Calendar API. */
const apiUrl = "https://console.cloud.google.com/apis/library/calendar-json.googleapis.com";

function RemedyButton({ remedy, onConnect }: RemedyButtonProps) {
  const { t } = useTranslation();
  const label = t(`calendars.remedy.${remedy}`);
  if (remedy === "api") {
    return (
      <Button
        size="xs"
        variant="default"
        component="a"
        href={apiUrl}
        target="_blank"
        rel="noreferrer"
        rightSection={<IconExternalLink size={14} aria-hidden />}
      >
        {label}
      </Button>
    );
  }
  return (
    <Button size="xs" variant="default" onClick={onConnect}>
      {label}
    </Button>
  );
}
