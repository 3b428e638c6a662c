import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";

/** Results with which a sign-in returns here. */
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

/** Providers whose sign-in returns here, with the result in a parameter of their name. */
export const providers = ["google", "calendly"] as const;

interface ResultNoticeProps {
  /** Begins another sign-in, which hides the notice. */
  onRetry: (provider: (typeof providers)[number]) => void;
}

/** Result of a provider's sign-in, from the URL. An unknown result reads as a failure. */
export function ResultNotice({ onRetry }: ResultNoticeProps) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const provider = providers.find((one) => params.has(one));
  if (provider === undefined) return null;
  const named = params.get(provider);
  const result: Result = results.find((one) => one === named) ?? "failed";
  const words = provider === "google" ? "result" : "calendly_result";
  const isDone = result === "connected";
  const hide = (): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete(provider);
        return next;
      },
      { replace: true },
    );
  return (
    <Alert
      mb="md"
      color={isDone ? "ok" : "bad"}
      icon={isDone ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(`calendars.${words}.${result}.title`)}
      role={isDone ? "status" : "alert"}
      withCloseButton
      closeButtonLabel={t("calendars.hide_result")}
      onClose={hide}
    >
      <Stack gap="xs">
        <Text size="sm">{t(`calendars.${words}.${result}.text`)}</Text>
        {!isDone && (
          <Group>
            <Button size="xs" variant="default" onClick={() => onRetry(provider)}>
              {t("calendars.remedy.connect")}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
