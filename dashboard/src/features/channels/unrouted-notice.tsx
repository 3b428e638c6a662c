import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { unroutedQuery } from "./api.ts";

/** Says that items wait for a number or Page; nothing while none waits. */
export function UnroutedNotice() {
  const { t } = useTranslation();
  const count = useQuery(unroutedQuery).data ?? 0;
  if (count === 0) return null;
  return (
    <Alert
      mb="md"
      color="warn"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("channels.unrouted", { count })}
      role="status"
    >
      {t("channels.unrouted_text")}
    </Alert>
  );
}
