import { FileButton, Button, Text } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useRef, useState, type DragEvent } from "react";
import { useTranslation } from "react-i18next";
import type { ImportKindName } from "../../../../core/model/import.ts";
import styles from "./imports.module.css";

/** Types that the file dialog offers. The server looks at the content, not at the name. */
const accepted: Record<ImportKindName, string> = {
  contacts: ".csv,.tsv,.txt,.xlsx,text/csv,text/plain",
  chat: ".zip,.txt,application/zip,text/plain",
};

interface DropZoneProps {
  kind: ImportKindName;
  onFile: (file: File) => void;
}

/** Area that takes one file by drag and drop, and a button for the keyboard and for phones. */
export function DropZone({ kind, onFile }: DropZoneProps) {
  const { t } = useTranslation();
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const reset = useRef<() => void>(null);
  const take = (files: File[]): void => {
    const [file, ...others] = files;
    if (file === undefined) return;
    if (others.length > 0) setFault(t("imports.upload.one"));
    else if (file.size === 0) setFault(t("imports.upload.empty"));
    else onFile(file);
  };
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent<HTMLElement>): void => {
      // Moving over a child leaves the zone too, as far as the browser is concerned.
      const to = event.relatedTarget;
      if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
    },
    onDrop: (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      setFault(null);
      take([...event.dataTransfer.files]);
    },
  };
  return (
    <div className={styles["drop"]} data-over={isOver || undefined} {...handlers}>
      <IconFileUpload size={28} stroke={1.75} color="var(--parley-accent)" aria-hidden />
      <Text fw={600}>{t(`imports.upload.drop.${kind}`)}</Text>
      <FileButton
        accept={accepted[kind]}
        resetRef={reset}
        inputProps={{ "aria-label": t("imports.upload.choose") }}
        onChange={(file) => {
          setFault(null);
          // The same file may be chosen again, once a person has corrected it.
          reset.current?.();
          if (file !== null) take([file]);
        }}
      >
        {(button) => <Button {...button}>{t("imports.upload.choose")}</Button>}
      </FileButton>
      <Text size="xs" c="dimmed">
        {t(`imports.upload.limits.${kind}`)}
      </Text>
      {fault !== null && (
        <Text size="sm" c="bad" role="alert">
          {fault}
        </Text>
      )}
    </div>
  );
}
