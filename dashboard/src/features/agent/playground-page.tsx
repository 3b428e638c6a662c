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
import { useTrial, type TrialSetting } from "./playground-api.ts";
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
        {making && (
          <CaseModal
            of={{
              id: null,
              channel: setting.channel ?? "whatsapp",
              lines: lines.slice(0, maxCaseLines).map(({ text }) => text),
              expected: {
                outcome: lines.slice(0, maxCaseLines).at(-1)?.answer.outcome ?? "replied",
                tool: null,
                item_id: null,
              },
            }}
            onClose={() => setMaking(false)}
          />
        )}
        <PlaygroundTrace answer={lines[shown]?.answer ?? null} />
      </section>
    </div>
  );
}
