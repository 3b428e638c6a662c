import { Alert, Box, Button, Text, Textarea, UnstyledButton } from "@mantine/core";
import { IconCalendarPlus, IconSend2, IconShieldCheck, IconSparkles } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { maxTrialLines, maxTrialText } from "../../../../core/model/agent-playground.ts";
import { turnWord } from "../../components/agent/turn-words.ts";
import { EmptyWithSteps } from "../../components/empty.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { ApiError } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";
import { tookText } from "../../lib/time.ts";
import type { TrialLine, useTrial } from "./playground-api.ts";
import styles from "./playground.module.css";

interface PlaygroundChatProps {
  trial: ReturnType<typeof useTrial>;
  /** Index of the line whose trace is shown. */
  shown: number;
  onShow: (index: number) => void;
  onSend: (text: string, done: () => void) => void;
  /** Goes on with the basic agent, because a provider fails. */
  onBasic: () => void;
}

/** Conversation of a trial, with the field in which an admin writes as a customer. */
export function PlaygroundChat({ trial, shown, onShow, onSend, onBasic }: PlaygroundChatProps) {
  const { t } = useTranslation();
  const { lines, send } = trial;
  const [text, setText] = useState("");
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Not returned: in new browsers it is a promise, which React would call.
    end.current?.scrollIntoView({ block: "nearest" });
  }, [lines, send.status]);
  const say = (what: string): void => {
    const line = what.trim();
    if (line === "" || send.isPending) return;
    // The next line may be written by the time of the answer.
    onSend(line, () => setText((now) => (now.trim() === line ? "" : now)));
  };
  return (
    <>
      <Box
        className={styles["flow"] ?? ""}
        role="log"
        aria-label={t("playground.messages")}
        aria-busy={send.isPending}
        tabIndex={0}
      >
        {lines.length === 0 && send.isIdle && <Suggestions onSay={say} />}
        {lines.map((line, index) => (
          <Line
            // Lines are only added, so that their place names them.
            key={index}
            line={line}
            isShown={index === shown}
            onShow={() => onShow(index)}
          />
        ))}
        {send.isPending && (
          <>
            <div className={styles["customer"]} dir="auto">
              {send.variables}
            </div>
            <Text c="dimmed" size="xs" ta="end">
              {t("playground.thinking")}
            </Text>
          </>
        )}
        {send.isError && <Failure error={send.error} onBasic={onBasic} />}
        <div ref={end} />
      </Box>
      <Composer
        text={text}
        onWrite={setText}
        onSend={() => say(text)}
        isFull={lines.length >= maxTrialLines}
        pending={send.isPending}
      />
      <p className={styles["promise"]}>
        <IconShieldCheck size={14} aria-hidden /> {t("playground.promise")}
      </p>
    </>
  );
}

interface ComposerProps {
  text: string;
  onWrite: (text: string) => void;
  onSend: () => void;
  /** The trial takes no further line. */
  isFull: boolean;
  pending: boolean;
}

/** Field of the customer's text. Enter sends it. */
function Composer({ text, onWrite, onSend, isFull, pending }: ComposerProps) {
  const { t } = useTranslation();
  return (
    <form
      className={styles["composer"]}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <Textarea
        className={styles["text"] ?? ""}
        autosize
        minRows={1}
        maxRows={6}
        aria-label={t("playground.write")}
        placeholder={t(isFull ? "playground.full" : "playground.write")}
        disabled={isFull}
        maxLength={maxTrialText}
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => onWrite(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onSend();
        }}
      />
      <PendingButton type="submit" pending={pending} aria-label={t("playground.send")}>
        <IconSend2 size={17} stroke={1.75} aria-hidden />
      </PendingButton>
    </form>
  );
}

function Suggestions({ onSay }: { onSay: (text: string) => void }) {
  const { t } = useTranslation();
  const booking = t("playground.try_booking");
  const question = t("playground.try_question");
  return (
    <EmptyWithSteps
      title={t("playground.empty")}
      text={t("playground.empty_text")}
      steps={[
        { icon: IconCalendarPlus, hue: "indigo", title: booking, onClick: () => onSay(booking) },
        { icon: IconSparkles, hue: "teal", title: question, onClick: () => onSay(question) },
      ]}
    />
  );
}

interface LineProps {
  line: TrialLine;
  isShown: boolean;
  onShow: () => void;
}

/** The customer's text and the answer, or the reason of a silence. */
function Line({ line: { text, answer }, isShown, onShow }: LineProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles["customer"]} dir="auto">
        {text}
      </div>
      <div className={styles["answer"]} data-shown={isShown || undefined}>
        {answer.messages.map((message) => (
          <div key={message} className={styles["agent"]} dir="auto">
            {message}
          </div>
        ))}
        <div className={styles["meta"]}>
          <IconSparkles size={13} stroke={1.75} aria-hidden />
          <span>
            {answer.outcome === "replied"
              ? tookText(answer.duration_ms)
              : t(`turns.outcome.${answer.outcome}`)}
          </span>
          <UnstyledButton className={styles["ask"] ?? ""} aria-pressed={isShown} onClick={onShow}>
            {t(isShown ? "playground.shown" : "turns.why")}
          </UnstyledButton>
        </div>
      </div>
    </>
  );
}

/** Fault of a line. The written text stays in its field. */
function Failure({ error, onBasic }: { error: Error; onBasic: () => void }) {
  const { t } = useTranslation();
  const isProvider = error instanceof ApiError && error.code === "agent_provider_failed";
  const failure = isProvider ? (error.details as { failure?: string } | null)?.failure : undefined;
  return (
    <Alert color="bad" title={t("playground.not_answered")} role="alert">
      <Text>
        {failure !== undefined && `${turnWord("failure", failure)}. `}
        {errorText(error)}
      </Text>
      {isProvider && (
        <Button mt="xs" variant="default" onClick={onBasic}>
          {t("playground.use_basic")}
        </Button>
      )}
    </Alert>
  );
}
