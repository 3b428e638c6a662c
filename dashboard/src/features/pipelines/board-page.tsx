import { Button, Group, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { pipelinesQuery } from "../../lib/pipelines.ts";
import { useSession } from "../../lib/session.ts";
import { pipelinePath } from "../../paths.ts";
import { ArrangeModal } from "./arrange-modal.tsx";
import { Board } from "./board.tsx";
import { NewPipelineModal } from "./new-pipeline-modal.tsx";

/** Board of a pipeline. Without an id in the URL, the first pipeline. */
export function BoardPage() {
  const pipelines = useQuery(pipelinesQuery);
  return <QueryState query={pipelines}>{({ data }) => <Loaded pipelines={data} />}</QueryState>;
}

function Loaded({ pipelines }: { pipelines: PipelineView[] }) {
  const { t } = useTranslation();
  const { pipeline: named } = useParams();
  const { role } = useSession();
  const [adding, add] = useDisclosure(false);
  const shown =
    named === undefined ? pipelines[0] : pipelines.find(({ id }) => String(id) === named);
  const isAdmin = role === "admin";
  return (
    <Page
      title={t("pipelines.title")}
      action={<Controls pipelines={pipelines} shown={shown} onAdd={isAdmin ? add.open : null} />}
    >
      {shown !== undefined && <Board key={shown.id} pipeline={shown} />}
      {pipelines.length === 0 && (
        <EmptyList
          title={t("pipelines.empty")}
          text={t("pipelines.empty_text")}
          first={t("pipelines.add_first")}
          onFirst={isAdmin ? add.open : null}
        />
      )}
      {shown === undefined && pipelines.length > 0 && (
        <Empty title={t("pipelines.gone")} text={t("pipelines.gone_text")} />
      )}
      {adding && <NewPipelineModal onClose={add.close} />}
    </Page>
  );
}

interface ControlsProps {
  pipelines: PipelineView[];
  shown: PipelineView | undefined;
  /** Null for members who may only read. */
  onAdd: (() => void) | null;
}

function Controls({ pipelines, shown, onAdd }: ControlsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [arranging, arrange] = useDisclosure(false);
  return (
    <Group gap="xs">
      {pipelines.length > 0 && (
        <Select
          w={200}
          allowDeselect={false}
          aria-label={t("pipelines.which")}
          value={shown === undefined ? null : String(shown.id)}
          onChange={(id) => id !== null && void navigate(pipelinePath(Number(id)))}
          data={pipelines.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      {onAdd !== null && shown !== undefined && (
        <Button
          variant="default"
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={arrange.open}
        >
          {t("pipelines.arrange")}
        </Button>
      )}
      {onAdd !== null && (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          {t("pipelines.add")}
        </Button>
      )}
      {arranging && shown !== undefined && (
        <ArrangeModal key={shown.id} pipeline={shown} onClose={arrange.close} />
      )}
    </Group>
  );
}
