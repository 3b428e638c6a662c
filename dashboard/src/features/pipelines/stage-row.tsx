import { ActionIcon, Group, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import type { useArrange } from "./api.ts";
import { NameForm } from "./name-form.tsx";

interface StageRowProps {
  pipeline: PipelineView;
  index: number;
  arrange: ReturnType<typeof useArrange>;
}

/** A stage as an admin arranges it; one that somebody stands in is not deleted. */
export function StageRow({ pipeline: { id: pipelineId, stages }, index, arrange }: StageRowProps) {
  const { t } = useTranslation();
  const stage = stages[index];
  if (stage === undefined) return null;
  const { id, name, cards } = stage;
  const exchange = (other: number): void => {
    const ids = stages.map((one) => one.id);
    ids.splice(other, 0, ...ids.splice(index, 1));
    const path = `/pipelines/${pipelineId}/stages`;
    arrange.mutate({ method: "PUT", path, body: { stage_ids: ids } });
  };
  return (
    <Group gap={4} wrap="nowrap">
      <NameForm
        key={name}
        hidden
        label={t("pipelines.stage_name", { name })}
        name={name}
        onSave={(next) =>
          arrange.mutate({ method: "PATCH", path: `/stages/${id}`, body: { name: next } })
        }
      />
      <Text size="xs" c="dimmed" className="tabular" title={t("pipelines.cards", { count: cards })}>
        {cards}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={index === 0 || arrange.isPending}
        aria-label={t("pipelines.earlier", { name })}
        onClick={() => exchange(index - 1)}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={index === stages.length - 1 || arrange.isPending}
        aria-label={t("pipelines.later", { name })}
        onClick={() => exchange(index + 1)}
      >
        <IconArrowDown size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        disabled={arrange.isPending}
        aria-label={t("pipelines.delete_stage", { name })}
        onClick={() => arrange.mutate({ method: "DELETE", path: `/stages/${id}` })}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
