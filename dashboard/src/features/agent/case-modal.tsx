import { Select, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { caseOutcomes } from "../../../../core/model/agent-case.ts";
import { optionalTools } from "../../../../core/model/agent.ts";
import { turnWord } from "../../components/agent/turn-words.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useChangeCases, type AgentCase, type CaseBody } from "./cases-api.ts";

const tools = ["search_knowledge", "list_appointments", "find_slots", ...optionalTools, "hand_off"];

interface CaseModalProps {
  /** The case to edit, or the beginning of a new one. */
  of: Pick<AgentCase, "channel" | "lines" | "expected"> & { id: number | null };
  onClose: () => void;
}

/** Dialog with the lines of a test case and what must come of them. */
export function CaseModal({ of, onClose }: CaseModalProps) {
  const { t } = useTranslation();
  const change = useChangeCases();
  const [text, setText] = useState(of.lines.join("\n"));
  const [expected, setExpected] = useState(of.expected);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const save: CaseBody = { channel: of.channel, lines, expected };
  return (
    <Dialog title={t(of.id === null ? "cases.add" : "cases.edit")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ save, id: of.id }, { onSuccess: onClose });
        }}
      >
        <Stack>
          <Textarea
            label={t("cases.lines")}
            description={t("cases.lines_text")}
            autosize
            minRows={2}
            maxRows={8}
            required
            withAsterisk={false}
            dir="auto"
            data-autofocus
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Select
            label={t("cases.outcome")}
            clearable
            placeholder={t("cases.any")}
            data={caseOutcomes.map((value) => ({ value, label: t(`turns.outcome.${value}`) }))}
            value={expected.outcome ?? null}
            onChange={(value) => {
              const outcome = caseOutcomes.find((one) => one === value) ?? null;
              setExpected({ ...expected, outcome });
            }}
          />
          <Select
            label={t("cases.tool")}
            clearable
            placeholder={t("cases.any")}
            data={tools.map((value) => ({ value, label: turnWord("tool", value) }))}
            value={expected.tool ?? null}
            onChange={(tool) => setExpected({ ...expected, tool })}
          />
          <FormFoot
            error={change.error === null ? null : errorText(change.error)}
            submit={t("common.save")}
            pending={change.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
