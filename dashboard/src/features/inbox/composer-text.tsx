import { Textarea } from "@mantine/core";
import { lazy, Suspense, type KeyboardEvent, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import type { Conversation } from "./api.ts";
import { optionId, useSuggestionKeys } from "./use-suggestion-keys.ts";

const SuggestionList = lazy(async () => ({
  default: (await import("./suggestion-list.tsx")).SuggestionList,
}));

interface ComposerTextProps {
  conversation: Conversation;
  mode: "reply" | "note";
  text: string;
  setText: (text: string) => void;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  send: () => void;
}

/** Text of the composer. Suggestions for the word at the caret open above it. */
export function ComposerText({ send, ...field }: ComposerTextProps) {
  const { t } = useTranslation();
  const { mode, text, setText, inputRef } = field;
  const list = useSuggestionKeys(field);
  const { suggestions, listId, active } = list;
  const hasRows = (suggestions?.rows.length ?? 0) > 0;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (list.press(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape") event.currentTarget.blur();
    // Enter also ends the composition of a word. That Enter does not send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <>
      {suggestions !== null && (
        <Suspense fallback={null}>
          <SuggestionList
            id={listId}
            mode={mode}
            suggestions={suggestions}
            active={active}
            previewed={list.previewed}
            onHover={list.setActive}
            onPick={list.pick}
          />
        </Suspense>
      )}
      <Textarea
        ref={inputRef}
        autosize
        maxRows={10}
        maxLength={4096}
        dir="auto"
        aria-label={t(`composer.${mode}`)}
        aria-autocomplete="list"
        aria-controls={hasRows ? listId : undefined}
        aria-activedescendant={hasRows ? optionId(listId, active) : undefined}
        placeholder={t(`composer.${mode}_placeholder`)}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          list.follow();
        }}
        onFocus={list.follow}
        onSelect={list.follow}
        onBlur={list.follow}
        onKeyDown={onKeyDown}
      />
    </>
  );
}
