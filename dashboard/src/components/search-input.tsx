import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, type Icon } from "@tabler/icons-react";
import { useState, type Ref } from "react";
import { useTranslation } from "react-i18next";
import { maxSearchLength } from "../../../core/model/wire.ts";

interface SearchInputProps {
  /** Label of the field: the values that are searched. */
  label: string;
  /**
   * The current search where the owner keeps it, for example in the URL. Newly typed text is ahead
   * of it.
   */
  value: string;
  onChange: (value: string) => void;
  inputRef?: Ref<HTMLInputElement>;
  size?: "xs" | "sm";
  placeholder?: string;
  icon?: Icon;
  maxLength?: number;
}

/** Field that searches when the typing pauses. Escape clears the field. */
export function SearchInput(props: SearchInputProps) {
  const { label, value, onChange, inputRef, size = "sm", icon: Picture = IconSearch } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState({ value, own: value });
  // A value that was not typed here came with the URL: the Back button, or a link.
  if (value !== known.value) {
    setKnown({ value, own: value });
    if (value !== known.own) setText(value);
  }
  const later = useDebouncedCallback((own: string) => {
    setKnown((before) => ({ ...before, own }));
    onChange(own);
  }, 250);
  const set = (next: string): void => {
    setText(next);
    later(next);
  };
  return (
    <TextInput
      ref={inputRef}
      size={size}
      flex={1}
      type="search"
      maxLength={props.maxLength ?? maxSearchLength}
      placeholder={props.placeholder ?? t("common.search")}
      aria-label={label}
      leftSection={<Picture size={14} aria-hidden />}
      rightSection={
        text !== "" && (
          <CloseButton size="xs" aria-label={t("common.clear_search")} onClick={() => set("")} />
        )
      }
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        set("");
        event.currentTarget.blur();
      }}
    />
  );
}
