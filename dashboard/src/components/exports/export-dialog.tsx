import { Alert, Anchor, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconFileDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import {
  exportFilePath,
  exportQuery,
  isUnderWay,
  type Export,
  type ExportBody,
} from "../../lib/exports.ts";
import { paths } from "../../paths.ts";
import { Dialog } from "../dialog.tsx";
import { QueryState } from "../load-states.tsx";

interface ExportDialogProps {
  id: number;
  kind: ExportBody["kind"];
  onClose: () => void;
}

/** Dialog of an export: its progress, then the link of the file. */
export function ExportDialog({ id, kind, onClose }: ExportDialogProps) {
  const { t } = useTranslation();
  const query = useQuery(exportQuery(id));
  return (
    <Dialog onClose={onClose} title={t(`exports.title.${kind}`)}>
      <QueryState query={query} rows={2}>
        {(one) => <Loaded one={one} onClose={onClose} />}
      </QueryState>
    </Dialog>
  );
}

interface LoadedProps {
  one: Export;
  onClose: () => void;
}

function Loaded({ one, onClose }: LoadedProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <div role="status">{isUnderWay(one) ? <Working one={one} /> : <Ended one={one} />}</div>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t("common.close")}
        </Button>
        {one.state === "done" && (
          <Button
            component="a"
            href={exportFilePath(one.id)}
            download
            leftSection={<IconFileDownload size={16} aria-hidden />}
          >
            {t("exports.download")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Working({ one: { rows } }: { one: Export }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Text fw={500}>{t("exports.working")}</Text>
      <Progress value={100} animated aria-label={t("exports.working")} />
      <Text size="sm" c="dimmed" className="tabular">
        {t("exports.rows", { count: rows, total: rows })}
      </Text>
      <Text size="sm" c="dimmed">
        {t("exports.leave")}{" "}
        <Anchor component={Link} to={paths.exports} inherit underline="always">
          {t("exports.to_list")}
        </Anchor>
      </Text>
    </Stack>
  );
}

function Ended({ one: { state, kind, rows, error } }: { one: Export }) {
  const { t } = useTranslation();
  if (state !== "done") {
    return (
      <Alert
        color={state === "expired" ? "gray" : "bad"}
        icon={<IconAlertCircle size={18} aria-hidden />}
      >
        {state === "expired"
          ? t("exports.expired")
          : t(`exports.list.errors.${error ?? "export_failed"}`)}
      </Alert>
    );
  }
  return (
    <Stack gap={4}>
      <Text fw={500}>{t("exports.ready")}</Text>
      <Text>
        {kind === "contact"
          ? t("exports.holds_contact")
          : t("exports.holds", { count: rows, total: rows })}
      </Text>
      <Text size="sm" c="dimmed">
        {t("exports.until")}
      </Text>
    </Stack>
  );
}
