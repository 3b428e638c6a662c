import { Button, CloseButton, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconColumns3, IconDots, IconUser } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { BulkResult } from "../../../../core/model/bulk-action.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { usePipelines } from "../../lib/pipelines.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useTeam } from "../../lib/team.ts";
import { useContactBulk, type BulkWork } from "./api.ts";
import { BulkFailures, type BulkFailure } from "./bulk-failures.tsx";
import { BulkTag } from "./bulk-tag.tsx";
import styles from "./contacts.module.css";
import { EraseModal } from "./erase-modal.tsx";
import type { Selection } from "./use-selection.ts";

/** Bar at the foot of the list with the actions on the selected contacts. */
export function BulkBar({ selection }: { selection: Selection }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [failures, setFailures] = useState<BulkFailure[]>([]);
  const [erasing, erase] = useDisclosure(false);
  const { run, isPending } = useBulkRun(selection, setFailures);
  const { contacts } = selection;
  return (
    <>
      <div className={styles["room"]} />
      <div
        className={styles["bulk"]}
        role="toolbar"
        aria-label={t("contacts.bulk.title")}
        aria-busy={isPending}
      >
        <span className={styles["count"]} role="status">
          {t("contacts.bulk.selected", { count: contacts.length })}
        </span>
        <BulkTag onRun={run} />
        <StageMenu onRun={run} />
        <AssignMenu onRun={run} />
        {role === "admin" && <MoreMenu onErase={erase.open} />}
        <CloseButton
          className={styles["end"] ?? ""}
          aria-label={t("contacts.bulk.clear")}
          onClick={selection.clear}
        />
      </div>
      {erasing && (
        <EraseModal
          contacts={contacts}
          pending={isPending}
          onConfirm={() => run({ type: "erase" }, erase.close)}
          onClose={erase.close}
        />
      )}
      {failures.length > 0 && <BulkFailures failures={failures} onClose={() => setFailures([])} />}
    </>
  );
}

/** Does an action on the selection and tells the results. Contacts that failed stay selected. */
function useBulkRun(
  { contacts, set }: Selection,
  onFailures: (failures: BulkFailure[]) => void,
): { run: (work: BulkWork, onEnd?: () => void) => void; isPending: boolean } {
  const { t } = useTranslation();
  const bulk = useContactBulk();
  const tell = (results: BulkResult[]): void => {
    const failed = results.flatMap(({ id, code }) => {
      const contact = contacts.find((one) => one.id === id);
      return code === null || contact === undefined ? [] : [{ ...contact, code }];
    });
    const failedIds = new Set(failed.map(({ id }) => id));
    const done = contacts.filter(({ id }) => !failedIds.has(id));
    if (done.length > 0) tellDone(t("contacts.bulk.done", { count: done.length }));
    onFailures(failed);
    set(done, false);
  };
  const run = (work: BulkWork, onEnd?: () => void): void => {
    if (bulk.isPending) return;
    const ids = contacts.map(({ id }) => id);
    // The bar may be unmounted before the answer arrives, so hook callbacks would not run.
    void bulk.mutateAsync({ ids, work }).then(
      (results) => {
        onEnd?.();
        tell(results);
      },
      (error: unknown) => tellFailure(t("contacts.bulk.failed"), error),
    );
  };
  return { run, isPending: bulk.isPending };
}

function MoreMenu({ onErase }: { onErase: () => void }) {
  const { t } = useTranslation();
  return (
    <Menu position="top-end">
      <Menu.Target>
        <IconAction label={t("contacts.bulk.more")}>
          <IconDots size={18} aria-hidden />
        </IconAction>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="bad" onClick={onErase}>
          {t("contacts.erase")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RunProps {
  onRun: (work: BulkWork) => void;
}

function StageMenu({ onRun }: RunProps) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  if (pipelines.length === 0) return null;
  return (
    <BulkMenu label={t("contacts.stage")} icon={<IconColumns3 size={15} aria-hidden />}>
      {pipelines.map(({ id, name, stages }) => (
        <div key={id} role="group" aria-label={name}>
          <Menu.Label>{name}</Menu.Label>
          {stages.map((stage) => (
            <Menu.Item key={stage.id} onClick={() => onRun({ type: "stage", stage_id: stage.id })}>
              {stage.name}
            </Menu.Item>
          ))}
        </div>
      ))}
    </BulkMenu>
  );
}

function AssignMenu({ onRun }: RunProps) {
  const { t } = useTranslation();
  const team = useTeam().filter((one) => one.disabled_at === null);
  return (
    <BulkMenu label={t("contacts.bulk.assign")} icon={<IconUser size={15} aria-hidden />}>
      <Menu.Item onClick={() => onRun({ type: "assign", user_id: null })}>
        {t("inbox.nobody")}
      </Menu.Item>
      {team.map(({ id, name }) => (
        <Menu.Item key={id} onClick={() => onRun({ type: "assign", user_id: id })}>
          {name}
        </Menu.Item>
      ))}
    </BulkMenu>
  );
}

interface BulkMenuProps {
  label: string;
  icon: ReactNode;
  children: ReactNode;
}

function BulkMenu({ label, icon, children }: BulkMenuProps) {
  return (
    <Menu position="top" width={220}>
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={icon}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
