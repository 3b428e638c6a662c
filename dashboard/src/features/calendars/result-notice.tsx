import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";

/** Results with which Google's sign-in returns here. */
const results = [
  "connected",
  "denied",
  "missing_scopes",
  "no_refresh_token",
  "other_account",
  "expired",
  "failed",
] as const;
type Result = (typeof results)[number];

interface ResultNoticeProps {
  /** Begins another sign-in, which hides the notice. */
  onRetry: () => void;
}

/** Result of Google's sign-in, from the URL. An unknown result reads as a failure. */
export function ResultNotice({ onRetry }: ResultNoticeProps) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const named = params.get("google");
  if (named === null) return null;
  const result: Result = results.find((one) => one === named) ?? "failed";
  const isDone = result === "connected";
  const hide = (): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("google");
        return next;
      },
      { replace: true },
    );
  return (
    <Alert
      mb="md"
      color={isDone ? "ok" : "bad"}
      icon={isDone ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(`calendars.result.${result}.title`)}
      role={isDone ? "status" : "alert"}
      withCloseButton
      closeButtonLabel={t("calendars.hide_result")}
      onClose={hide}
    >
      <Stack gap="xs">
        <Text size="sm">{t(`calendars.result.${result}.text`)}</Text>
        {!isDone && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t("calendars.remedy.connect")}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
