import { Box, Button, Group, Input, Stack, Textarea } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { maxCaseLines } from "../../../../core/model/agent-case.ts";
import { maxTrialText } from "../../../../core/model/agent-playground.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { newToken } from "../../lib/token.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";

/** A message of the customer in the form. The key keeps its field while others go. */
export interface CaseLine {
  key: string;
  text: string;
}

/** Messages of a case in its form, which has one field at least. */
export function caseLines(lines: readonly string[]): CaseLine[] {
  return (lines.length === 0 ? [""] : lines).map((text) => ({ key: newToken(), text }));
}

interface CaseLinesProps {
  lines: CaseLine[];
  /** Reason why the messages are refused, or null. */
  error: string | null;
  onChange: (lines: CaseLine[]) => void;
}

/** Messages of the customer, a field each. A message may have several lines, as a burst has. */
export function CaseLines({ lines, error, onChange }: CaseLinesProps) {
  const { t } = useTranslation();
  const title = useId();
  const list = useFocusAfterRow<HTMLDivElement>(lines.length);
  // Only the field of a new message takes the focus.
  const [added, setAdded] = useState<string | null>(null);
  const add = (): void => {
    const line = { key: newToken(), text: "" };
    setAdded(line.key);
    onChange([...lines, line]);
  };
  return (
    <div role="group" aria-labelledby={title}>
      <Input.Label id={title} labelElement="div">
        {t("cases.lines")}
      </Input.Label>
      <Input.Description mb={6}>{t("cases.lines_text")}</Input.Description>
      <Stack ref={list} tabIndex={-1} gap="xs" style={{ outline: "none" }}>
        {lines.map((line, index) => (
          <LineField
            key={line.key}
            number={index + 1}
            text={line.text}
            error={index === 0 ? error : null}
            autoFocus={line.key === added}
            onChange={(text) =>
              onChange(lines.map((one) => (one.key === line.key ? { ...one, text } : one)))
            }
            onRemove={
              lines.length === 1
                ? null
                : () => onChange(lines.filter(({ key }) => key !== line.key))
            }
          />
        ))}
        {lines.length < maxCaseLines && (
          <Box>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={add}
            >
              {t("cases.add_line")}
            </Button>
          </Box>
        )}
      </Stack>
    </div>
  );
}

interface LineFieldProps {
  number: number;
  text: string;
  error: string | null;
  autoFocus: boolean;
  onChange: (text: string) => void;
  /** Null for the only message. */
  onRemove: (() => void) | null;
}

function LineField({ number, text, error, autoFocus, onChange, onRemove }: LineFieldProps) {
  const { t } = useTranslation();
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Textarea
        flex={1}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={maxTrialText}
        dir="auto"
        aria-label={t("cases.line", { number })}
        autoFocus={autoFocus}
        data-autofocus={number === 1 || undefined}
        error={error}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {onRemove !== null && (
        <IconAction label={t("cases.remove_line", { number })} onClick={onRemove}>
          <IconTrash size={16} stroke={1.75} aria-hidden />
        </IconAction>
      )}
    </Group>
  );
}
