import { IconPaperclip } from "@tabler/icons-react";
import { useRef, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";

interface AttachButtonProps {
  /** Input that opens the camera of a phone. */
  camera: RefObject<HTMLInputElement | null>;
  onFiles: (files: readonly File[]) => void;
}

/** Button that attaches files, with the input of the camera. */
export function AttachButton({ camera, onFiles }: AttachButtonProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
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
    </>
  );
}
