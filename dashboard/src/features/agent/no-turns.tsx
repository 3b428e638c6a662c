import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { paths } from "../../paths.ts";

/** In place of a report without turns; leads to the switch of the agent. */
export function NoTurns({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation();
  return (
    <Empty
      title={title}
      text={text}
      action={
        <Button component={Link} to={paths.agent} variant="default">
          {t("reports.to_agent")}
        </Button>
      }
    />
  );
}
