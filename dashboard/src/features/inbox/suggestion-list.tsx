import { Anchor, Box, Group, Loader, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../paths.ts";
import styles from "./composer.module.css";
import { optionId } from "./use-suggestion-keys.ts";
import type { Suggestion, Suggestions } from "./composer-suggestions.ts";

interface SuggestionListProps {
  id: string;
  mode: "reply" | "note";
  suggestions: Suggestions;
  active: number;
  /** True while the whole text of the active entry is shown. */
  previewed: boolean;
  onHover: (index: number) => void;
  onPick: (row: Suggestion) => void;
}

/** List above the composer. The keyboard focus stays in the text. */
export function SuggestionList(props: SuggestionListProps) {
  const { id, mode, suggestions, active, previewed, onHover, onPick } = props;
  const { t } = useTranslation();
  const { rows, loading, none } = suggestions;
  const title = t(mode === "reply" ? "answers.title" : "answers.members");
  const shown = rows[active];
  return (
    // A click in the list leaves the focus in the text.
    <Box className={styles["list"] ?? ""} onMouseDown={(event) => event.preventDefault()}>
      <Group justify="space-between" px="sm" py={6} wrap="nowrap">
        <Text size="xs" c="dimmed">
          {title}
        </Text>
        {rows.length > 0 && (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            {t(mode === "reply" ? "answers.keys" : "answers.member_keys")}
          </Text>
        )}
      </Group>
      {rows.length > 0 && (
        <div id={id} role="listbox" aria-label={title} className={styles["options"]}>
          {rows.map((row, index) => (
            <Option
              key={row.key}
              id={optionId(id, index)}
              row={row}
              mode={mode}
              isActive={index === active}
              onHover={() => onHover(index)}
              onPick={() => onPick(row)}
            />
          ))}
        </div>
      )}
      {loading && rows.length === 0 && <Loader size="xs" m="sm" aria-label={t("common.loading")} />}
      {none && <NoAnswers />}
      {previewed && mode === "reply" && shown !== undefined && (
        <Box className={styles["preview"] ?? ""} role="status" dir="auto">
          {shown.text}
        </Box>
      )}
    </Box>
  );
}

interface OptionProps {
  id: string;
  row: Suggestion;
  mode: "reply" | "note";
  isActive: boolean;
  onHover: () => void;
  onPick: () => void;
}

function Option({ id, row, mode, isActive, onHover, onPick }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={styles["option"]}
      onMouseMove={onHover}
      onMouseDown={onPick}
    >
      {mode === "reply" && <code className={styles["shortcut"]}>/{row.label}</code>}
      <span className={styles["words"]} dir="auto">
        {mode === "reply" ? row.text : `@${row.label}`}
      </span>
    </div>
  );
}

function NoAnswers() {
  const { t } = useTranslation();
  return (
    <Text size="sm" px="sm" pb="sm">
      {t("answers.none")}{" "}
      <Anchor component={Link} to={`${paths.account}#canned-answers`} size="sm">
        {t("answers.create_first")}
      </Anchor>
    </Text>
  );
}
