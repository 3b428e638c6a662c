import { Alert, Button, Center, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../lib/error-text.ts";

/** What a first load shows. */
export function LoadingRows({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" p="md" role="status" aria-label={t("common.loading")}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  );
}

/** What could not be loaded, why, and a way to try again. */
export function LoadFailed({ error, retry }: { error: unknown; retry: () => unknown }) {
  const { t } = useTranslation();
  return (
    <Alert
      m="md"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("common.load_failed")}
      role="alert"
    >
      <Text size="sm" mb="sm">
        {errorText(error)}
      </Text>
      <Button size="xs" variant="default" onClick={() => void retry()}>
        {t("common.retry")}
      </Button>
    </Alert>
  );
}

/** What stands where there is nothing to show, and what to do about it. */
export function Empty({
  title,
  text,
  action,
}: {
  title: string;
  text: string;
  action?: ReactNode;
}) {
  return (
    <Center p="xl">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <Title order={2}>{title}</Title>
        <Text c="dimmed">{text}</Text>
        {action}
      </Stack>
    </Center>
  );
}

/** A list that has nothing yet: what it is for, and the first thing to do. `onFirst` is null for who may not. */
export function EmptyList({
  title,
  text,
  first,
  onFirst,
}: {
  title: string;
  text: string;
  first: string;
  onFirst: (() => void) | null;
}) {
  const action = onFirst !== null && (
    <Button variant="default" onClick={onFirst}>
      {first}
    </Button>
  );
  return <Empty title={title} text={text} action={action} />;
}
