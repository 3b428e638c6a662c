import { ActionIcon, Button, Group, Menu, SegmentedControl, UnstyledButton } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { IconPlus, IconSelector, IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { cardOutcomes, type PipelineView } from "../../../../core/model/pipeline.ts";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { pipelinesQuery } from "../../lib/pipelines.ts";
import { useSession } from "../../lib/session.ts";
import { pipelinePath } from "../../paths.ts";
import { AddContactModal } from "./add-contact-modal.tsx";
import { ArrangeModal } from "./arrange-modal.tsx";
import { useBoardQuery } from "./board-query.ts";
import styles from "./board.module.css";
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
  const onAdd = role === "admin" ? add.open : null;
  return (
    <Page
      title={t("pipelines.title")}
      aside={<Switcher pipelines={pipelines} shown={shown} onAdd={onAdd} />}
      action={<Actions shown={shown} onAdd={onAdd} />}
    >
      {shown !== undefined && <Board key={shown.id} pipeline={shown} />}
      {pipelines.length === 0 && (
        <EmptyList
          title={t("pipelines.empty")}
          text={t("pipelines.empty_text")}
          first={t("pipelines.add_first")}
          onFirst={onAdd}
        />
      )}
      {shown === undefined && pipelines.length > 0 && (
        <Empty title={t("pipelines.gone")} text={t("pipelines.gone_text")} />
      )}
      {adding && <NewPipelineModal onClose={add.close} />}
    </Page>
  );
}

interface HeadProps {
  shown: PipelineView | undefined;
  /** Null for members who may not add a pipeline. */
  onAdd: (() => void) | null;
}

/** Name of the shown pipeline, with a menu of the others. */
function Switcher({ pipelines, shown, onAdd }: HeadProps & { pipelines: PipelineView[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (pipelines.length === 0) return null;
  const name = shown?.name ?? t("pipelines.choose");
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={styles["switch"] ?? ""}
          title={name}
          aria-label={t("pipelines.which", { name })}
        >
          <span className={styles["cut"]} dir="auto">
            {name}
          </span>
          <IconSelector size={16} stroke={1.75} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={styles["menu"] ?? ""}>
        {pipelines.map(({ id, name: label }) => (
          <Menu.Item
            key={id}
            aria-current={id === shown?.id ? "page" : undefined}
            onClick={() => void navigate(pipelinePath(id))}
          >
            {label}
          </Menu.Item>
        ))}
        {onAdd !== null && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconPlus size={15} aria-hidden />} onClick={onAdd}>
              {t("pipelines.add")}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Actions({ shown, onAdd }: HeadProps) {
  const { t } = useTranslation();
  const [arranging, arrange] = useDisclosure(false);
  const [entering, enter] = useDisclosure(false);
  const isPhone = useMediaQuery("(max-width: 47.99em)") === true;
  if (shown === undefined) {
    return (
      onAdd !== null && (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          {t("pipelines.add")}
        </Button>
      )
    );
  }
  return (
    <Group gap="xs">
      <OutcomeSwitch />
      {onAdd !== null && (
        <IconAction size="lg" label={t("pipelines.arrange")} onClick={arrange.open}>
          <IconSettings size={18} stroke={1.75} aria-hidden />
        </IconAction>
      )}
      {isPhone ? (
        <ActionIcon
          variant="filled"
          size="lg"
          aria-label={t("pipelines.add_contact")}
          onClick={enter.open}
        >
          <IconPlus size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      ) : (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={enter.open}>
          {t("pipelines.add_contact")}
        </Button>
      )}
      {arranging && <ArrangeModal key={shown.id} pipeline={shown} onClose={arrange.close} />}
      {entering && <AddContactModal pipeline={shown} onClose={enter.close} />}
    </Group>
  );
}

/** Choice of open, won and lost cards. */
function OutcomeSwitch() {
  const { t } = useTranslation();
  const { filter, set } = useBoardQuery();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t("pipelines.outcome")}
      value={filter.outcome}
      onChange={(outcome) => set("outcome", outcome === "open" ? null : outcome)}
      data={cardOutcomes.map((value) => ({ value, label: t(`pipelines.outcomes.${value}`) }))}
    />
  );
}
