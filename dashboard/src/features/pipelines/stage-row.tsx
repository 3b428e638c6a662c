import { ActionIcon, NumberInput, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { maxSlowDays, type PipelineView } from "../../../../core/model/pipeline.ts";
import { HuePicker } from "../../components/hue-picker.tsx";
import { callApi } from "../../lib/api.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import type { useArrange } from "./api.ts";
import styles from "./board.module.css";
import type { Stage } from "./columns.ts";
import { StageMenu } from "./delete-stage.tsx";
import { NameForm } from "./name-form.tsx";

interface StageRowProps {
  pipeline: PipelineView;
  index: number;
  arrange: ReturnType<typeof useArrange>;
}

/** Row of a stage in the dialog for admins. */
export function StageRow({ pipeline: { id: pipelineId, stages }, index, arrange }: StageRowProps) {
  const { t } = useTranslation();
  const [colouring, colour] = useDisclosure(false);
  const stage = stages[index];
  if (stage === undefined) return null;
  const { id, name, cards } = stage;
  const exchange = (other: number): void => {
    const ids = stages.map((one) => one.id);
    ids.splice(other, 0, ...ids.splice(index, 1));
    const input = { id: pipelineId, body: { stage_ids: ids } };
    arrange.mutate(() => callApi("PUT /pipelines/:id/stages", input));
  };
  const busy = arrange.isPending;
  return (
    <div className={styles["stageRow"]}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t("pipelines.hue_of", { name })}
        aria-expanded={colouring}
        onClick={colour.toggle}
      >
        <span className={styles["hue"]} data-hue={stage.hue} aria-hidden />
      </ActionIcon>
      <div className={styles["stageName"]}>
        <NameForm
          hidden
          label={t("pipelines.stage_name", { name })}
          name={name}
          onSave={(next) =>
            arrange.mutate(() => callApi("PATCH /stages/:id", { id, body: { name: next } }))
          }
        />
      </div>
      <SlowLimit key={stage.slow_after_days} stage={stage} arrange={arrange} />
      <Text size="xs" c="dimmed" className="tabular" title={t("pipelines.cards", { count: cards })}>
        {cards}
      </Text>
      <OrderActions name={name} index={index} count={stages.length} busy={busy} onMove={exchange} />
      <StageMenu stage={stage} stages={stages} arrange={arrange} />
      {colouring && (
        <div className={styles["hues"]}>
          <HuePicker
            label={t("pipelines.hue_of", { name })}
            value={stage.hue}
            onChange={(hue) =>
              arrange.mutate(() => callApi("PATCH /stages/:id", { id, body: { hue } }))
            }
          />
        </div>
      )}
    </div>
  );
}

type FieldProps = { stage: Stage } & Pick<StageRowProps, "arrange">;

interface OrderActionsProps {
  name: string;
  index: number;
  count: number;
  busy: boolean;
  onMove: (to: number) => void;
}

function OrderActions({ name, index, count, busy, onMove }: OrderActionsProps) {
  const { t } = useTranslation();
  return (
    <>
      <RowAction
        label={t("pipelines.earlier", { name })}
        busy={busy}
        idle={index === 0}
        onTake={() => onMove(index - 1)}
      >
        <IconArrowUp size={16} stroke={1.75} />
      </RowAction>
      <RowAction
        label={t("pipelines.later", { name })}
        busy={busy}
        idle={index === count - 1}
        onTake={() => onMove(index + 1)}
      >
        <IconArrowDown size={16} stroke={1.75} />
      </RowAction>
    </>
  );
}

/** Field for the days after which a card is slow. It saves when the focus leaves it. */
function SlowLimit({ stage: { id, name, slow_after_days: limit }, arrange }: FieldProps) {
  const { t } = useTranslation();
  const [days, setDays] = useState<number | string>(limit ?? "");
  const save = (): void => {
    // The input shows a clamped number only after the focus has left it.
    const next = days === "" ? null : Math.min(Math.max(1, Number(days)), maxSlowDays);
    setDays(next ?? "");
    if (next === limit) return;
    const body = { slow_after_days: next };
    arrange
      .mutateAsync(() => callApi("PATCH /stages/:id", { id, body }))
      // Text that was typed meanwhile stays.
      .catch(() => setDays((shown) => (shown === (next ?? "") ? (limit ?? "") : shown)));
  };
  return (
    <NumberInput
      w={84}
      flex="none"
      aria-label={t("pipelines.slow_after", { name })}
      placeholder={t("pipelines.slow_never")}
      suffix={t("pipelines.days_suffix")}
      min={1}
      max={maxSlowDays}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={days}
      onChange={setDays}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter") save();
      }}
    />
  );
}

interface RowActionProps {
  label: string;
  /** True while a change is being saved. */
  busy: boolean;
  /** True where the action would change nothing. */
  idle?: boolean;
  onTake: () => void;
  children: ReactNode;
}

function RowAction({ label, busy, idle = false, onTake, children }: RowActionProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      aria-busy={busy}
      {...softDisabledButton(busy || idle, onTake)}
    >
      {children}
    </ActionIcon>
  );
}
