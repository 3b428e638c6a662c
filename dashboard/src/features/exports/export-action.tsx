import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconFileDownload, IconFilter, IconRefresh, type Icon } from "@tabler/icons-react";
import type { HTMLAttributes, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { exportFilePath, useRepeatExport, type ExportSummary } from "../../lib/exports.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { paths } from "../../paths.ts";

/** The next step of an export: its download, another try, or the list that a filter shortens. */
export function ExportAction({ one }: { one: ExportSummary }) {
  const { state, error, kind, is_mine: isMine } = one;
  if (!isMine) return null;
  if (state === "done") return <Download one={one} />;
  // Its filters or its contact are gone.
  if (error === "contact_gone" || error === "person_erased") return null;
  if (state === "expired") return <Repeat one={one} />;
  if (state !== "failed") return null;
  return error === "export_too_large" && kind !== "contact" ? (
    <OpenList kind={kind} />
  ) : (
    <Repeat one={one} />
  );
}

function Download({ one: { id, name } }: { one: ExportSummary }) {
  const { t } = useTranslation();
  return (
    <RowAction
      icon={IconFileDownload}
      words={t("exports.download")}
      label={t("exports.list.download", { name })}
      renderRoot={({ children, ...root }) => (
        <a {...root} href={exportFilePath(id)} download>
          {children}
        </a>
      )}
    />
  );
}

function Repeat({ one: { id, name } }: { one: ExportSummary }) {
  const { t } = useTranslation();
  const { mutate, isPending } = useRepeatExport();
  const start = (): void =>
    mutate(id, {
      onSuccess: () => tellDone(t("exports.list.repeated")),
      onError: (error) => tellFailure(t("exports.not_started"), error),
    });
  return (
    <RowAction
      icon={IconRefresh}
      words={t("exports.list.again")}
      label={t("exports.list.repeat", { name })}
      // A disabled button would lose the keyboard focus.
      renderRoot={(root) => (
        <button {...root} aria-busy={isPending} onClick={isPending ? undefined : start} />
      )}
    />
  );
}

const lists = {
  contacts: paths.contacts,
  appointments: paths.appointments,
  deliveries: paths.webhooks,
} as const;

function OpenList({ kind }: { kind: keyof typeof lists }) {
  const { t } = useTranslation();
  const words = t(`exports.list.open.${kind}`);
  return (
    <RowAction
      icon={IconFilter}
      words={words}
      label={words}
      renderRoot={(root) => <Link {...root} to={lists[kind]} />}
    />
  );
}

interface RowActionProps {
  icon: Icon;
  words: string;
  /** Name for screen readers, with the file. */
  label: string;
  /** The link or button. */
  renderRoot: (root: HTMLAttributes<HTMLElement>) => ReactNode;
}

/** Button of a row. On a phone it is an icon beside the name of the file. */
function RowAction({ icon: Picture, words, label, renderRoot }: RowActionProps) {
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        aria-label={label}
        leftSection={<Picture size={14} aria-hidden />}
        renderRoot={renderRoot}
      >
        {words}
      </Button>
      <Tooltip label={label}>
        <ActionIcon
          hiddenFrom="sm"
          variant="subtle"
          color="gray"
          aria-label={label}
          renderRoot={renderRoot}
        >
          <Picture size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
