import { useTranslation } from "react-i18next";
import { Moment } from "../../components/moment.tsx";
import { Status } from "../../components/status.tsx";
import type { Widget } from "../../lib/widgets.ts";

/** Time at which a site last showed the widget. */
export function SeenStatus({ widget: { seen_at: at } }: { widget: Widget }) {
  const { t } = useTranslation();
  if (at === null) return <Status tone="gray">{t("web_chat.not_seen")}</Status>;
  return (
    <Status tone="ok">
      {t("web_chat.seen")} <Moment at={at} />
    </Status>
  );
}
