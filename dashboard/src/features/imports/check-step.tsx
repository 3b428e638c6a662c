import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconPlayerPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { rowPlans } from "../../../../core/model/import.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import { useImportAct, type Import } from "./api.ts";
import { ErrorsLink } from "./errors-link.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { CountTabs, ReasonSelect } from "./row-filters.tsx";
import { RowList } from "./row-list.tsx";
import { useCountText } from "./use-count-text.ts";

interface CheckStepProps {
  one: Import;
  /** Returns to the mapping. */
  onRemap: () => void;
}

/** The dry run: its progress, then the plan of each row, and the button that imports. */
export function CheckStep({ one, onRemap }: CheckStepProps) {
  const { t } = useTranslation();
  if (one.state === "planning") {
    const words = one.kind === "chat" ? "running_chat" : "running";
    return (
      <Stack gap="md" maw={720}>
        <ImportProgress
          id={one.id}
          done={plannedRows(one)}
          total={foundRows(one)}
          isRunning
          label={t("imports.step.check")}
          text={t(`imports.check.${words}`)}
        />
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <CommitBar one={one} onRemap={onRemap} />
      <PlannedRows one={one} />
    </Stack>
  );
}

/** Rows that the upload has found. The dry run counts them anew. */
function foundRows({ detected, counts }: Import): number {
  if (detected === null) return counts.rows;
  return detected.format === "chat" ? detected.messages : detected.rows;
}

function plannedRows({ counts: { planned } }: Import): number {
  return rowPlans.reduce((sum, plan) => sum + planned[plan], 0);
}

function CommitBar({ one, onRemap }: CheckStepProps) {
  const { t } = useTranslation();
  const number = useCountText();
  const act = useImportAct(one.id);
  const { create, update, skip, conflict } = one.counts.planned;
  const count = create + update;
  return (
    <>
      {count === 0 && (
        <Alert color="warn" icon={<IconAlertCircle size={18} aria-hidden />} maw={720}>
          <Text fw={500}>{t("imports.check.nothing")}</Text>
          <Text size="sm">{t("imports.check.nothing_text")}</Text>
        </Alert>
      )}
      {act.isError && (
        <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />} maw={720}>
          {errorText(act.error)}
        </Alert>
      )}
      <Group gap="xs">
        {count > 0 && (
          <PendingButton
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            pending={act.isPending}
            onClick={() => act.mutate("commit")}
          >
            {t(`imports.check.commit.${one.kind}`, { count, total: number(count) })}
          </PendingButton>
        )}
        <Button variant="default" onClick={onRemap}>
          {t("imports.check.remap")}
        </Button>
        {skip + conflict > 0 && <ErrorsLink id={one.id} />}
        <Text size="xs" c="dimmed">
          {t("imports.check.no_event")}
        </Text>
      </Group>
    </>
  );
}

/** The rows by plan and reason. The URL keeps both. */
function PlannedRows({ one }: { one: Import }) {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters(["step"]);
  const plan = rowPlans.find((value) => value === params.get("plan")) ?? null;
  const reasons = one.reasons.filter(
    (group) => group.plan !== null && (plan === null || group.plan === plan),
  );
  const reason = reasons.find((group) => group.reason === params.get("reason"))?.reason ?? null;
  const counts = one.counts.planned;
  return (
    <Stack gap="sm">
      <CountTabs
        label={t("imports.check.filters")}
        value={plan}
        onChange={(value) => set("plan", value, { replace: true })}
        options={[
          { value: null, label: t("imports.check.plan.all"), count: plannedRows(one) },
          ...rowPlans
            .filter((value) => one.kind !== "chat" || counts[value] > 0 || value === "create")
            .map((value) => ({
              value,
              label: t(`imports.check.plan.${value}`),
              count: counts[value],
            })),
        ]}
      />
      <ReasonSelect
        reasons={reasons}
        value={reason}
        onChange={(value) => set("reason", value, { replace: true })}
      />
      <RowList
        one={one}
        filter={{
          ...(plan === null ? {} : { plan }),
          ...(reason === null ? {} : { reason }),
        }}
        version={`plan ${one.planned_at ?? ""}`}
        label={t("imports.check.list")}
        empty={t("imports.check.no_rows")}
      />
    </Stack>
  );
}
