import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import {
  findExcess,
  listForms,
  optionBounds,
  type FormLimits,
  type Interactive,
  type OptionPart,
  type SentInteractive,
} from "../../../../core/model/interactive.ts";
import { LinkedText } from "../../components/linked-text.tsx";
import styles from "./options-dialog.module.css";
import { OptionList } from "./message-extras.tsx";

/** Forms of the channel with their limits, so that a person knows them before writing. */
export function ChannelLimits({ driver }: { driver: string }) {
  const { t } = useTranslation();
  if (driver === "web")
    return <Limits lines={[t("option_message.limit.web", { ...optionBounds })]} />;
  const forms = listForms(driver, "buttons");
  const others = t(`option_message.limit.${forms.length > 0 ? "text" : "only_text"}`);
  const lines = forms.map(({ form, ...limits }) =>
    t(`option_message.limit.${form}`, { ...limits }),
  );
  return <Limits lines={[...lines, others]} />;
}

function Limits({ lines }: { lines: string[] }) {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="xs" fw={500}>
        {t("option_message.limits")}
      </Text>
      <ul className={styles["limits"]}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

interface OptionsPreviewProps {
  driver: string;
  /** As the channel shows the message; null while it is not complete. */
  composed: { interactive: SentInteractive; text: string } | null;
}

/** The message as the customer reads it, and its form with the reason. */
export function OptionsPreview({ driver, composed }: OptionsPreviewProps) {
  const { t } = useTranslation();
  return (
    <Stack gap={6} role="group" aria-label={t("option_message.preview")}>
      <div className={styles["stage"]}>
        {composed === null ? (
          <Text size="sm" c="dimmed">
            {t("option_message.preview_empty")}
          </Text>
        ) : (
          <div className={styles["bubble"]} dir="auto">
            <LinkedText text={composed.text} />
            <OptionList interactive={{ ...composed.interactive }} />
          </div>
        )}
      </div>
      <Text size="xs" role="status" mih={16}>
        {composed !== null && <FormLine driver={driver} interactive={composed.interactive} />}
      </Text>
    </Stack>
  );
}

/** Names the form, and why the one before it does not fit. */
function FormLine({ driver, interactive }: { driver: string; interactive: SentInteractive }) {
  const { t } = useTranslation();
  const form = t(`option_message.form.${interactive.sent_as}`);
  const reasons = useReasons(driver, interactive);
  return reasons === "" ? `${form}.` : t("option_message.because", { form, reasons });
}

function useReasons(driver: string, interactive: SentInteractive): string {
  const { t, i18n } = useTranslation();
  const forms = listForms(driver, interactive.kind);
  const at = forms.findIndex(({ form }) => form === interactive.sent_as);
  const better = forms.at(at === -1 ? -1 : at - 1);
  if (at === 0 || better === undefined) return "";
  const words = findExcess(better, interactive).map((part) =>
    t(`option_message.excess.${wordOf(better, part)}`, { max: better[part] }),
  );
  return new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(words);
}

function wordOf(limits: FormLimits, part: OptionPart): OptionPart | "described" {
  return part === "description" && limits.description === 0 ? "described" : part;
}

/** True where the message has a text and an option. */
export function isComplete({ body, options }: Interactive): boolean {
  return body !== "" && options.length > 0;
}
