import { ActionIcon, Group, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { callApi } from "../../lib/api.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import type { useArrange } from "./api.ts";
import { NameForm } from "./name-form.tsx";

interface StageRowProps {
  pipeline: PipelineView;
  index: number;
  arrange: ReturnType<typeof useArrange>;
}

/** Row of a stage in the dialog for admins. The API refuses to delete a stage with cards. */
export function StageRow({ pipeline: { id: pipelineId, stages }, index, arrange }: StageRowProps) {
  const { t } = useTranslation();
  const stage = stages[index];
  if (stage === undefined) return null;
  const { id, name, cards } = stage;
  const exchange = (other: number): void => {
    const ids = stages.map((one) => one.id);
    ids.splice(other, 0, ...ids.splice(index, 1));
    const input = { id: pipelineId, body: { stage_ids: ids } };
    arrange.mutate(() => callApi("PUT /pipelines/:id/stages", input));
  };
  return (
    <Group gap={4} wrap="nowrap">
      <NameForm
        hidden
        label={t("pipelines.stage_name", { name })}
        name={name}
        onSave={(next) =>
          arrange.mutate(() => callApi("PATCH /stages/:id", { id, body: { name: next } }))
        }
      />
      <Text size="xs" c="dimmed" className="tabular" title={t("pipelines.cards", { count: cards })}>
        {cards}
      </Text>
      <RowAction
        label={t("pipelines.earlier", { name })}
        busy={arrange.isPending}
        idle={index === 0}
        onTake={() => exchange(index - 1)}
      >
        <IconArrowUp size={16} />
      </RowAction>
      <RowAction
        label={t("pipelines.later", { name })}
        busy={arrange.isPending}
        idle={index === stages.length - 1}
        onTake={() => exchange(index + 1)}
      >
        <IconArrowDown size={16} />
      </RowAction>
      <RowAction
        label={t("pipelines.delete_stage", { name })}
        busy={arrange.isPending}
        color="bad"
        onTake={() => arrange.mutate(() => callApi("DELETE /stages/:id", { id }))}
      >
        <IconTrash size={16} />
      </RowAction>
    </Group>
  );
}

interface RowActionProps {
  label: string;
  color?: string;
  /** True while a change is being saved. */
  busy: boolean;
  /** True where the action would change nothing. */
  idle?: boolean;
  onTake: () => void;
  children: ReactNode;
}

function RowAction({
  label,
  color = "gray",
  busy,
  idle = false,
  onTake,
  children,
}: RowActionProps) {
  return (
    <ActionIcon
      variant="subtle"
      color={color}
      aria-label={label}
      aria-busy={busy}
      {...softDisabledButton(busy || idle, onTake)}
    >
      {children}
    </ActionIcon>
  );
}
