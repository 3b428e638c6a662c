import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { WidgetConfig } from "../../../../core/model/widget-visit.ts";
import styles from "./web-chat.module.css";

interface PreviewProps {
  /** Address of the widget's script, whose origin has the widget's frame. */
  scriptUrl: string;
  config: Omit<WidgetConfig, "origin">;
}

/** Time in ms after which a frame that has not answered counts as failed. */
const readyTimeoutMs = 8_000;

/**
 * The real widget in a frame. It begins no session: the page sends the settings that are in the form,
 * and the frame shows them with sample messages.
 */
export function Preview({ scriptUrl, config }: PreviewProps) {
  const { t } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const { origin } = new URL(scriptUrl);
  const [isReady, setReady] = useState(false);
  const [isLate, setLate] = useState(false);
  const text = JSON.stringify({ ...config, origin });
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), readyTimeoutMs);
    const listen = ({ data, source, origin: from }: MessageEvent): void => {
      if (source !== frame.current?.contentWindow || from !== origin) return;
      if (data === "parley:hello") setReady(true);
    };
    addEventListener("message", listen);
    return () => {
      clearTimeout(timer);
      removeEventListener("message", listen);
    };
  }, [origin]);
  useEffect(() => {
    if (!isReady) return;
    const message = { kind: "parley:preview", config: JSON.parse(text) as WidgetConfig };
    frame.current?.contentWindow?.postMessage(message, origin);
  }, [isReady, origin, text]);
  return (
    <aside className={styles["preview"]} aria-label={t("web_chat.preview")}>
      <Text size="xs" fw={500} c="var(--parley-ink-3)" mb={8}>
        {t("web_chat.preview")}
      </Text>
      {isLate && !isReady && (
        <Alert color="warn" icon={<IconAlertTriangle size={18} aria-hidden />} mb="sm">
          {t("web_chat.preview_failed", { origin })}
        </Alert>
      )}
      <iframe
        ref={frame}
        className={styles["frame"]}
        data-ready={isReady || undefined}
        title={t("web_chat.preview")}
        src={`${origin}/widget/frame/${config.key}?preview=1`}
      />
    </aside>
  );
}
