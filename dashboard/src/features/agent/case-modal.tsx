import { Select, SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { caseOutcomes, type CaseExpectation } from "../../../../core/model/agent-case.ts";
import { optionalTools } from "../../../../core/model/agent.ts";
import { restChannels } from "../../../../core/model/channels.ts";
import { turnWord } from "../../components/agent/turn-words.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import { CaseLines, caseLines } from "./case-lines.tsx";
import { CaseRun } from "./case-run.tsx";
import { useChangeCases, type CaseForm } from "./cases-api.ts";
import { ItemField } from "./item-field.tsx";

const tools = ["search_knowledge", "list_appointments", "find_slots", ...optionalTools, "hand_off"];

interface CaseModalProps {
  /** The case to edit, or the beginning of a new one. */
  of: CaseForm;
  onClose: () => void;
}

/** Dialog with the messages of a test case, their channel, and what must come of them. */
export function CaseModal({ of, onClose }: CaseModalProps) {
  const { t } = useTranslation();
  const change = useChangeCases();
  const [lines, setLines] = useState(() => caseLines(of.lines));
  const [channel, setChannel] = useState(of.channel);
  const [expected, setExpected] = useState(of.expected);
  const [tried, setTried] = useState(false);
  const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== "");
  const lacksLine = texts.length === 0;
  const lacksExpectation = Object.values(expected).every((one) => one === null);
  const refusal = change.error === null ? null : errorText(change.error);
  const send = (): void => {
    setTried(true);
    if (lacksLine || lacksExpectation) return;
    const save = { channel, lines: texts, expected };
    change.mutate({ save, id: of.id }, { onSuccess: onClose });
  };
  return (
    <Dialog title={t(of.id === null ? "cases.add" : "cases.edit")} size="lg" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack>
          <CaseLines
            lines={lines}
            error={tried && lacksLine ? t("cases.no_line") : null}
            onChange={setLines}
          />
          <Select
            label={t("cases.channel")}
            allowDeselect={false}
            data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
            value={channel}
            onChange={(value) =>
              setChannel(restChannels.find((one) => one === value) ?? of.channel)
            }
          />
          <Expectation expected={expected} onChange={setExpected} />
          <CaseRun run={of} />
          <FormFoot
            error={tried && lacksExpectation ? t("cases.no_expectation") : refusal}
            submit={t("common.save")}
            pending={change.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

interface ExpectationProps {
  expected: CaseExpectation;
  onChange: (expected: CaseExpectation) => void;
}

/** Fields for the outcome of the last message, and for a tool and an answer of any message. */
function Expectation({ expected, onChange }: ExpectationProps) {
  const { t } = useTranslation();
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t("cases.outcome")}
          clearable
          placeholder={t("cases.any")}
          data={caseOutcomes.map((value) => ({ value, label: t(`turns.outcome.${value}`) }))}
          value={expected.outcome}
          onChange={(value) => {
            const outcome = caseOutcomes.find((one) => one === value) ?? null;
            onChange({ ...expected, outcome });
          }}
        />
        <Select
          label={t("cases.tool")}
          clearable
          placeholder={t("cases.any")}
          data={tools.map((value) => ({ value, label: turnWord("tool", value) }))}
          value={expected.tool}
          onChange={(tool) => onChange({ ...expected, tool })}
        />
      </SimpleGrid>
      <ItemField
        value={expected.item_id}
        onChange={(item) => onChange({ ...expected, item_id: item })}
      />
    </>
  );
}
