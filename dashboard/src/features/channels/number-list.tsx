import { Alert, Radio } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Chip } from "../../components/chip.tsx";
import type { ChannelNumber } from "./api.ts";
import styles from "./channels.module.css";

interface NumberListProps {
  numbers: ChannelNumber[];
  /** Meta's id of the chosen number; empty for none. */
  value: string;
  onChange: (id: string) => void;
}

/** The numbers of a WhatsApp Business Account, to choose one. */
export function NumberList({ numbers, value, onChange }: NumberListProps) {
  const { t } = useTranslation();
  if (numbers.length === 0) return <Alert color="warn">{t("connecting.no_number")}</Alert>;
  return (
    <Radio.Group label={t("connecting.number")} value={value} onChange={onChange}>
      <div className={styles["choices"]} style={{ marginTop: 8 }}>
        {numbers.map((number) => (
          <Radio.Card key={number.id} value={number.id} className={styles["choice"] ?? ""}>
            <Radio.Indicator />
            <span className={styles["choiceWords"]}>
              <span className={styles["choiceName"]}>
                {number.display_phone_number ?? number.id}
              </span>
              <small dir="auto">{number.verified_name}</small>
            </span>
            {number.channel_account_id !== null && <Chip>{t("channels.state.connected")}</Chip>}
            {!number.is_registered && <Chip outline>{t("connecting.not_registered")}</Chip>}
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}
