import { Input, Loader } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import {
  EmojiPicker as Picker,
  useActiveEmoji,
  useSkinTone,
  type EmojiPickerListComponents,
  type SkinTone,
} from "frimousse";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { resolveEmojiData } from "./emoji-data.ts";
import styles from "./emoji-picker.module.css";

/** Emoji by category, with a search. The arrow keys move, and Enter picks. */
export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const { t, i18n } = useTranslation();
  const [tone, setTone] = useLocalStorage<SkinTone>({
    key: "parley.skin-tone",
    defaultValue: "none",
    getInitialValueInEffect: false,
  });
  return (
    <Picker.Root
      className={styles["picker"]}
      locale={i18n.language}
      resolveEmojiData={resolveEmojiData}
      columns={9}
      skinTone={tone}
      onEmojiSelect={({ emoji }) => onPick(emoji)}
    >
      <Input
        component={Picker.Search}
        type="search"
        autoFocus
        aria-label={t("emoji.search")}
        placeholder={t("emoji.search")}
        m={8}
      />
      <Picker.Viewport className={styles["viewport"]}>
        <Picker.Loading>
          <Loader size="xs" m="sm" aria-label={t("common.loading")} />
        </Picker.Loading>
        <Picker.Empty className={styles["none"]}>{t("emoji.none")}</Picker.Empty>
        <Picker.List className={styles["list"]} aria-label={t("emoji.title")} components={parts} />
      </Picker.Viewport>
      <Foot onTone={setTone} />
    </Picker.Root>
  );
}

/** Parts of the list. Kept outside the render, because a new part would mount every row again. */
const parts: EmojiPickerListComponents = {
  CategoryHeader: ({ category, ...props }) => (
    <div {...props} className={styles["category"]}>
      {category.label}
    </div>
  ),
  // The library counts rows and columns from 0, where ARIA counts from 1. It finds rows by the index.
  Row: ({ "aria-rowindex": index, ...props }) => (
    <div {...props} aria-rowindex={index === 0 ? undefined : index} />
  ),
  Emoji: ({ emoji, ...props }) => (
    <button {...props} aria-colindex={undefined} type="button" className={styles["emoji"]}>
      {emoji.emoji}
    </button>
  ),
};

/** Name of the active emoji, and the button that changes the skin tone. */
function Foot({ onTone }: { onTone: (tone: SkinTone) => void }) {
  const { t } = useTranslation();
  const active = useActiveEmoji();
  const [tone] = useSkinTone();
  useEffect(() => onTone(tone), [tone, onTone]);
  return (
    <div className={styles["foot"]}>
      <span className={styles["name"]}>{active?.label ?? ""}</span>
      <Picker.SkinToneSelector className={styles["emoji"]} aria-label={t("emoji.skin_tone")} />
    </div>
  );
}
