import { Input } from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { allHues, type Hue } from "../../../core/model/hue.ts";
import styles from "./hue-picker.module.css";

interface HuePickerProps {
  label: string;
  value: Hue;
  onChange: (hue: Hue) => void;
}

/** Field for one of the hues: radio buttons that look like swatches. */
export function HuePicker({ label, value, onChange }: HuePickerProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }}>
      <div className={styles["hues"]} role="radiogroup" aria-labelledby={id}>
        {allHues.map((hue) => (
          <input
            key={hue}
            type="radio"
            name={id}
            className={styles["hue"]}
            data-hue={hue}
            aria-label={t(`hue.${hue}`)}
            title={t(`hue.${hue}`)}
            checked={hue === value}
            onChange={() => onChange(hue)}
          />
        ))}
      </div>
    </Input.Wrapper>
  );
}

/** A dot of a hue before words. */
export function Swatch({ hue }: { hue: Hue }) {
  return <i className={styles["swatch"]} data-hue={hue} aria-hidden />;
}
