import { Alert, Button, Group, Loader, Paper, Stack } from "@mantine/core";
import { IconCircle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ChannelCheckStep, ChannelReason } from "../../../../core/model/channel-reasons.ts";
import type { ChannelCheckDetails } from "../../../../core/model/channel-setup.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import type { useConnectChannel } from "./api.ts";
import styles from "./channels.module.css";
import { checkDetails } from "./check-details.ts";
import { CheckTrouble } from "./check-trouble.tsx";
import type { ConnectStep, StepParts } from "./connect-draft.ts";

interface CheckStepProps extends StepParts {
  call: ReturnType<typeof useConnectChannel>;
  /** Repeats the call with everything that is typed now. */
  onCheck: () => void;
}

/** Fourth step: Meta's checks, and the next move where one fails. */
export function CheckStep({ draft, go, call, onCheck }: CheckStepProps) {
  const { t } = useTranslation();
  const details = checkDetails(call.error);
  const isAgain = draft.channelId !== null;
  const back = details === null || isAgain ? "account" : stepToMend(details);
  return (
    <Stack gap="md">
      <CheckList call={call} failed={details?.step ?? null} />
      {details !== null && <CheckTrouble details={details} />}
      {call.error !== null && details === null && (
        <Alert color="bad" role="alert">
          {errorText(call.error)}
        </Alert>
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={() => go(back)}>
          {t(`connecting.mend.${back}`)}
        </Button>
        <PendingButton
          pending={call.isPending}
          onClick={call.isSuccess ? () => go("done") : onCheck}
        >
          {t(call.isError ? "connecting.try_again" : "connecting.next")}
        </PendingButton>
      </Group>
    </Stack>
  );
}

/** The step whose fields mend a failed check. */
function stepToMend({ reason }: ChannelCheckDetails): Extract<ConnectStep, "app" | "account"> {
  return appReasons.includes(reason) ? "app" : "account";
}

const appReasons: ChannelReason[] = ["token_of_other_app", "app_secret_invalid"];

/** Checks that every connecting passes. */
const usual: ChannelCheckStep[] = ["token", "account", "subscribe"];

interface CheckListProps {
  call: { isPending: boolean; isSuccess: boolean };
  failed: ChannelCheckStep | null;
}

type Outcome = "running" | "passed" | "failed" | "open";

function CheckList({ call, failed }: CheckListProps) {
  const { t } = useTranslation();
  const steps: ChannelCheckStep[] =
    failed === "register" ? ["token", "account", "register", "subscribe"] : usual;
  const failedAt = failed === null ? -1 : steps.indexOf(failed);
  const outcomeOf = (index: number): Outcome => {
    if (call.isPending) return "running";
    if (call.isSuccess) return "passed";
    if (index === failedAt) return "failed";
    return index < failedAt ? "passed" : "open";
  };
  return (
    <Paper withBorder>
      <ul className={styles["checks"]} aria-label={t("connecting.checks")} aria-live="polite">
        {steps.map((step, index) => {
          const outcome = outcomeOf(index);
          return (
            <li key={step} data-outcome={outcome}>
              <OutcomeIcon outcome={outcome} />
              <span>{t(`connecting.check_step.${step}`)}</span>
              <small>{t(`connecting.outcome.${outcome}`)}</small>
            </li>
          );
        })}
      </ul>
    </Paper>
  );
}

function OutcomeIcon({ outcome }: { outcome: Outcome }) {
  if (outcome === "running") return <Loader size={18} aria-hidden />;
  if (outcome === "passed") return <IconCircleCheck size={18} aria-hidden />;
  if (outcome === "failed") return <IconCircleX size={18} aria-hidden />;
  return <IconCircle size={18} aria-hidden />;
}
