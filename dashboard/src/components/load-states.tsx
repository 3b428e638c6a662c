import { Alert, Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../lib/error-text.ts";

/** Placeholder rows while data loads for the first time. */
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

/** Message that a load failed, with the reason and a Retry button. */
export function LoadFailed({ error, retry }: { error: unknown; retry: () => unknown }) {
  const { t } = useTranslation();
  return (
    <Alert
      m="md"
      color="bad"
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

interface QueryStateProps<Data> {
  /** A TanStack query, or an object with these parts of one. */
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  /** Number of placeholder rows. */
  rows?: number;
  /** Height of a placeholder row in px. */
  height?: number;
  children: (data: Data) => ReactNode;
}

/**
 * Placeholder rows, then the content for the query's data, or a Retry button where the first load
 * failed. Data that was loaded stays when a later refetch fails.
 */
export function QueryState<Data>({ query, children, ...placeholder }: QueryStateProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <LoadFailed error={error} retry={refetch} />;
  return <LoadingRows {...placeholder} />;
}
