import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { maxCaseLines } from "../../../../core/model/agent-case.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { agentQuery } from "./api.ts";
import { CaseModal } from "./case-modal.tsx";
import type { CaseForm } from "./cases-api.ts";
import { useTrial, type TrialLine, type TrialSetting } from "./playground-api.ts";
import { PlaygroundChat } from "./playground-chat.tsx";
import { PlaygroundSetting } from "./playground-setting.tsx";
import { PlaygroundTrace } from "./playground-trace.tsx";
import styles from "./playground.module.css";

/** Page on which an admin talks to the draft as a customer, and sees why it answers as it does. */
export function PlaygroundPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const differs = useQuery(agentQuery).data?.differs === true;
  return (
    <AgentFrame
      tab={t("playground.title")}
      action={
        differs &&
        role === "admin" && (
          <Button component={Link} to={paths.agentSetup} variant="default">
            {t("playground.review")}
          </Button>
        )
      }
    >
      {role === "admin" ? <Playground /> : <Text>{t("playground.admins")}</Text>}
    </AgentFrame>
  );
}

function Playground() {
  const { t } = useTranslation();
  const [setting, setSetting] = useState<TrialSetting>({ channel: "whatsapp" });
  const trial = useTrial(setting);
  const { lines, startOver } = trial;
  const [making, setMaking] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = chosen ?? lines.length - 1;
  const begin = (): void => {
    startOver();
    setChosen(null);
  };
  return (
    <div className={styles["playground"]}>
      <section className={styles["talk"]} aria-label={t("playground.conversation")}>
        <PlaygroundSetting
          setting={setting}
          onChange={(next) => {
            // A conversation stays with its contact on its channel.
            if (next.channel !== setting.channel || next.contact_id !== setting.contact_id) begin();
            setSetting(next);
          }}
          onStartOver={lines.length === 0 ? undefined : begin}
        />
        <PlaygroundChat
          trial={trial}
          shown={shown}
          onShow={setChosen}
          onSend={(text, done) => {
            setChosen(null);
            trial.send.mutate(text, { onSuccess: done });
          }}
          onBasic={() => setSetting({ ...setting, provider_id: null })}
        />
      </section>
      <section className={styles["why"]} aria-label={t("turns.why")}>
        {lines.length > 0 && (
          <Button variant="default" mb="md" onClick={() => setMaking(true)}>
            {t("cases.make")}
          </Button>
        )}
        {making && <CaseModal of={caseOf(setting, lines)} onClose={() => setMaking(false)} />}
        <PlaygroundTrace answer={lines[shown]?.answer ?? null} />
      </section>
    </div>
  );
}

/** The test case that a trial passes: its lines, and what came of the last one. */
function caseOf({ channel = "whatsapp" }: TrialSetting, lines: readonly TrialLine[]): CaseForm {
  const kept = lines.slice(0, maxCaseLines);
  const last = kept.at(-1)?.answer;
  const calls = (last?.trace ?? []).flatMap((step) => step.calls);
  return {
    id: null,
    channel,
    lines: kept.map(({ text }) => text),
    expected: {
      outcome: last?.outcome ?? "replied",
      tool: calls.findLast(({ code }) => code === "ok")?.tool ?? null,
      item_id: last?.cited[0] ?? null,
    },
    result: null,
  };
}
