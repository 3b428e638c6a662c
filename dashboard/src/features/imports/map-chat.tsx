import {
  Alert,
  Group,
  Paper,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChatMapping, DetectedChat } from "../../../../core/model/import.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { TimeZoneSelect } from "../../components/time-zone-select.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useSession } from "../../lib/session.ts";
import { dateText } from "../../lib/time.ts";
import { useDryRun, type Import } from "./api.ts";
import styles from "./imports.module.css";
import {
  chatDraft,
  chatMappingOf,
  chooseUs,
  dayOfLine,
  isWholePhone,
  type ChatDraft,
} from "./map-values.ts";
import { useCountText } from "./use-count-text.ts";

interface MapChatProps {
  one: Import;
  chat: DetectedChat;
  /** Runs once the dry run has begun. */
  onPlanned: () => void;
}

/** Asks who is who in a chat, and how its dates read, beside lines of the file. */
export function MapChat({ one, chat, onPlanned }: MapChatProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const [draft, setDraft] = useState(() =>
    chatDraft(chat, one.mapping as ChatMapping | null, account.time_zone),
  );
  const [isTried, setTried] = useState(false);
  const dryRun = useDryRun(one.id);
  const change = (part: Partial<ChatDraft>): void => setDraft({ ...draft, ...part });
  const start = (): void => {
    setTried(true);
    const mapping = chatMappingOf(draft);
    if (mapping !== null) dryRun.mutate({ mapping }, { onSuccess: onPlanned });
  };
  return (
    <div className={styles["map"]}>
      <Stack gap="md">
        <Paper withBorder p="md">
          <Stack gap="md">
            <UsChoice
              chat={chat}
              us={draft.us}
              error={isTried && draft.us === null && t("imports.map.us_needed")}
              onChange={(us) => setDraft(chooseUs(chat, draft, us))}
            />
            <ContactFields draft={draft} isTried={isTried} onChange={change} />
            <TimeZoneSelect
              readOnly={false}
              value={draft.timeZone}
              onChange={(zone) => zone !== null && change({ timeZone: zone })}
            />
          </Stack>
        </Paper>
        {dryRun.isError && (
          <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />}>
            {errorText(dryRun.error)}
          </Alert>
        )}
      </Stack>
      <DateOrder
        chat={chat}
        dayFirst={draft.dayFirst}
        error={isTried && draft.dayFirst === null}
        onChange={(dayFirst) => change({ dayFirst })}
      />
      <Group justify="flex-end">
        <PendingButton pending={dryRun.isPending} onClick={start}>
          {t("imports.map.check")}
        </PendingButton>
      </Group>
    </div>
  );
}

interface UsChoiceProps {
  chat: DetectedChat;
  us: string | null;
  error: string | false;
  onChange: (us: string) => void;
}

function UsChoice({ chat: { authors }, us, error, onChange }: UsChoiceProps) {
  const { t } = useTranslation();
  return (
    <Radio.Group label={t("imports.map.us")} value={us} error={error} onChange={onChange}>
      <Stack gap="xs" mt={8} mb={4}>
        {authors.map(({ name, messages }) => (
          <Radio
            key={name}
            value={name}
            label={<bdi>{name}</bdi>}
            description={t("imports.map.messages", { count: messages })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface ContactFieldsProps {
  draft: ChatDraft;
  isTried: boolean;
  onChange: (part: Partial<ChatDraft>) => void;
}

function ContactFields({ draft: { phone, name }, isTried, onChange }: ContactFieldsProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md" component="fieldset" className={styles["fields"] ?? ""}>
      <Text component="legend" size="sm" fw={600}>
        {t("imports.map.contact")}
      </Text>
      <TextInput
        type="tel"
        label={t("imports.map.fields.phone")}
        description={t("imports.map.phone_text")}
        placeholder="+52 55 1234 5678"
        maxLength={40}
        value={phone}
        error={isTried && !isWholePhone(phone) && t("imports.map.phone_needed")}
        onChange={({ currentTarget }) => onChange({ phone: currentTarget.value })}
      />
      <TextInput
        label={t("imports.map.fields.name")}
        maxLength={200}
        dir="auto"
        value={name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
    </Stack>
  );
}

interface DateOrderProps {
  chat: DetectedChat;
  dayFirst: boolean | null;
  /** True where the order has to be chosen first. */
  error: boolean;
  onChange: (dayFirst: boolean) => void;
}

/** Choice of the order of day and month, with lines of the file and the way that they read then. */
function DateOrder({ chat, dayFirst, error, onChange }: DateOrderProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <ChatFacts chat={chat} />
        <Stack gap={4}>
          <Text size="sm" fw={500} id="import-order">
            {t("imports.map.order")}
          </Text>
          <SegmentedControl
            aria-labelledby="import-order"
            fullWidth
            value={dayFirst === null ? "" : dayFirst ? "day" : "month"}
            onChange={(value) => onChange(value === "day")}
            data={[
              { value: "day", label: t("imports.map.day_first") },
              { value: "month", label: t("imports.map.month_first") },
            ]}
          />
          {chat.day_first === null && (
            <Text size="xs" c={error ? "bad" : "dimmed"} role={error ? "alert" : undefined}>
              {t("imports.map.order_unknown")}
            </Text>
          )}
        </Stack>
        <ul className={styles["lines"]} aria-label={t("imports.map.sample")}>
          {chat.sample.map((line, index) => (
            <li key={index}>
              <code dir="auto">{line}</code>
              <ReadAs day={dayFirst === null ? null : dayOfLine(line, dayFirst)} />
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}

function ReadAs({ day }: { day: string | null }) {
  const { t } = useTranslation();
  if (day === null) return null;
  const date = dateText(day, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  return (
    <Text size="xs" c="dimmed">
      {t("imports.map.read_as", { date })}
    </Text>
  );
}

function ChatFacts({
  chat: { messages, media, first_at: first, last_at: last },
}: {
  chat: DetectedChat;
}) {
  const { t } = useTranslation();
  const number = useCountText();
  const day = (moment: string): string =>
    dateText(moment.slice(0, 10), { day: "numeric", month: "short", year: "numeric" });
  return (
    <div>
      <Title order={3}>{t("imports.map.preview")}</Title>
      <Text size="xs" c="dimmed">
        {t("imports.map.facts", {
          messages: number(messages),
          media: number(media),
          first: day(first),
          last: day(last),
        })}
      </Text>
    </div>
  );
}
