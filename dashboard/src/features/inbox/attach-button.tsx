import { IconCamera, IconPaperclip } from "@tabler/icons-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";

interface AttachButtonProps {
  onFiles: (files: readonly File[]) => void;
}

/** Buttons that attach files; a phone also has its camera. */
export function AttachButton({ onFiles }: AttachButtonProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const input = {
    type: "file",
    hidden: true,
    onChange: ({ currentTarget }: React.ChangeEvent<HTMLInputElement>) => {
      onFiles([...(currentTarget.files ?? [])]);
      // The same file can be chosen again.
      currentTarget.value = "";
    },
  };
  return (
    <>
      <input ref={picker} multiple data-attach="files" {...input} />
      <input ref={camera} accept="image/*" capture="environment" data-attach="camera" {...input} />
      <IconAction
        size="var(--parley-control-small)"
        label={t("attach.button")}
        onClick={() => picker.current?.click()}
      >
        <IconPaperclip size={18} stroke={1.75} />
      </IconAction>
      <IconAction
        size="var(--parley-control-small)"
        hiddenFrom="sm"
        label={t("attach.camera")}
        onClick={() => camera.current?.click()}
      >
        <IconCamera size={18} stroke={1.75} />
      </IconAction>
    </>
  );
}
