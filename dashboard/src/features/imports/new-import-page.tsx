import {
  Alert,
  Button,
  Group,
  Paper,
  Progress,
  SegmentedControl,
  Stack,
  Text,
} from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { importKinds, type ImportKindName } from "../../../../core/model/import.ts";
import { importPath } from "../../lib/import-paths.ts";
import { sizeText } from "../../lib/size-text.ts";
import { DropZone } from "./drop-zone.tsx";
import { ImportFrame } from "./import-frame.tsx";
import { useUploadErrorText } from "./reason-text.ts";
import { useUpload, type Upload } from "./upload.ts";

/** Upload of a file. The URL keeps the kind, so that other pages can lead to it. */
export function NewImportPage() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const uploadErrorText = useUploadErrorText();
  const kind = importKinds.find((one) => one === params.get("kind")) ?? "contacts";
  const { upload, start, cancel } = useUpload((id) => {
    // The Back button then leads to the list, not to an upload that is over.
    void navigate(importPath(id), { replace: true });
  });
  const isUnderWay = upload !== null && upload.error === null;
  return (
    <ImportFrame name={t("imports.add")} step="upload" title={t("imports.upload.title")}>
      <Stack gap="md" maw={720}>
        <KindSwitch
          kind={kind}
          disabled={isUnderWay}
          onChange={(next) => setParams({ kind: next }, { replace: true })}
        />
        {upload !== null && upload.error !== null && (
          <Alert
            color="bad"
            role="alert"
            icon={<IconAlertCircle size={18} aria-hidden />}
            title={t("imports.upload.failed", { name: upload.file.name })}
          >
            {uploadErrorText(upload.error)}
          </Alert>
        )}
        {isUnderWay ? (
          <UploadProgress upload={upload} onCancel={cancel} />
        ) : (
          <DropZone kind={kind} onFile={(file) => start(kind, file)} />
        )}
        {kind === "chat" && (
          <Text size="sm" c="dimmed">
            {t("imports.upload.chat_help")}
          </Text>
        )}
      </Stack>
    </ImportFrame>
  );
}

interface KindSwitchProps {
  kind: ImportKindName;
  disabled: boolean;
  onChange: (kind: ImportKindName) => void;
}

function KindSwitch({ kind, disabled, onChange }: KindSwitchProps) {
  const { t } = useTranslation();
  return (
    <Group>
      <SegmentedControl
        aria-label={t("imports.upload.kind")}
        disabled={disabled}
        value={kind}
        onChange={(value) => onChange(value)}
        data={importKinds.map((value) => ({ value, label: t(`imports.kind.${value}`) }))}
      />
    </Group>
  );
}

interface UploadProgressProps {
  upload: Upload;
  onCancel: () => void;
}

function UploadProgress({ upload: { file, loaded }, onCancel }: UploadProgressProps) {
  const { t } = useTranslation();
  const share = file.size === 0 ? 0 : Math.min(1, loaded / file.size);
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text fw={500} truncate dir="auto">
            {t("imports.upload.progress", { name: file.name })}
          </Text>
          <Text size="sm" c="dimmed" className="tabular" style={{ flex: "none" }}>
            {t("imports.upload.done_of", {
              done: sizeText(file.size * share),
              total: sizeText(file.size),
            })}
          </Text>
        </Group>
        <Progress
          value={share * 100}
          aria-label={t("imports.upload.progress", { name: file.name })}
        />
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {share === 1 && t("imports.upload.sent")}
          </Text>
          <Button variant="default" size="xs" onClick={onCancel}>
            {t("imports.upload.cancel")}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
