import {
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { agentModes, type AgentMode } from "../../../../core/model/agent.ts";
import { restChannels } from "../../../../core/model/channels.ts";
import type { DraftFieldsProps } from "./draft-values.ts";

const tones = ["friendly", "neutral", "formal"] as const;

/** Name, tone and rules of the agent. */
export function PersonaFields({ form, readOnly }: DraftFieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.persona")}</Title>
        <TextInput
          label={t("common.name")}
          description={t("agent.name_text")}
          maxLength={60}
          readOnly={readOnly}
          {...form.getInputProps("persona.name")}
        />
        <Select
          label={t("agent.tone_title")}
          allowDeselect={false}
          readOnly={readOnly}
          data={tones.map((value) => ({ value, label: t(`agent.tone.${value}`) }))}
          {...form.getInputProps("persona.tone")}
        />
        <Textarea
          label={t("agent.instructions")}
          description={t("agent.instructions_text")}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={4_000}
          dir="auto"
          readOnly={readOnly}
          {...form.getInputProps("persona.instructions")}
        />
        <Switch
          label={t("agent.introduces")}
          description={t("agent.introduces_text")}
          disabled={readOnly}
          {...form.getInputProps("persona.introduces", { type: "checkbox" })}
        />
      </Stack>
    </Paper>
  );
}

/** Mode of the agent on each channel. */
export function ChannelFields({ form, readOnly }: DraftFieldsProps) {
  const { t } = useTranslation();
  const modes = agentModes.map((value) => ({ value, label: t(`agent.mode.${value}`) }));
  const chosen = [...new Set(Object.values(form.getValues().modes))];
  const setAll = (mode: AgentMode): void => {
    for (const channel of restChannels) form.setFieldValue(`modes.${channel}`, mode);
  };
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.channels")}</Title>
        <Text size="sm" c="dimmed">
          {t("agent.channels_text")}
        </Text>
        <Select
          label={t("agent.all_channels")}
          placeholder={t("agent.modes_differ")}
          allowDeselect={false}
          readOnly={readOnly}
          data={modes}
          value={chosen.length === 1 ? (chosen[0] ?? null) : null}
          onChange={(mode) => mode !== null && setAll(mode as AgentMode)}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {restChannels.map((channel) => (
            <Select
              key={channel}
              label={t(`channel.${channel}`)}
              allowDeselect={false}
              readOnly={readOnly}
              data={modes}
              {...form.getInputProps(`modes.${channel}`)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}
