import { Button, Center, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useRouteError } from "react-router";
import { errorText } from "../lib/error-text.ts";
import { paths } from "../paths.ts";

/** Page for an unknown URL, or for a page that failed. */
export function RouteError({ inShell = false }: { inShell?: boolean }) {
  const error = useRouteError();
  const { t } = useTranslation();
  const unknown = error === undefined || error === null;
  return (
    <Center component={inShell ? "div" : "main"} mih="60vh" p="md">
      <Stack align="center" maw={440} ta="center">
        <Title order={1}>{t(unknown ? "common.no_page" : "common.page_failed")}</Title>
        <Text c="dimmed">
          {unknown ? t("common.no_page_text") : failureText(error, t("common.new_version"))}
        </Text>
        <Button component={Link} to={paths.inbox} reloadDocument>
          {t("common.to_inbox")}
        </Button>
      </Stack>
    </Center>
  );
}

/** A missing part of the app means that a newer version was deployed. */
function failureText(error: unknown, newVersion: string): string {
  const missing = error instanceof TypeError && /import|fetch/i.test(error.message);
  return missing ? newVersion : errorText(error);
}
