import { ColorSwatch, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { accentColours, hexColour } from "../../../../core/model/accent.ts";
import { maxCompanyAddress, maxCompanyName } from "../../../../core/model/account-settings.ts";
import type { FieldsProps } from "./account-values.ts";

/** Settings of the public booking pages: name, accent and address of the company. */
export function BookingPageFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("settings.booking_page")}</Title>
        <TextInput
          label={t("settings.booking_name")}
          description={t("settings.booking_name_text")}
          placeholder={form.values.name}
          maxLength={maxCompanyName}
          readOnly={readOnly}
          {...form.getInputProps("booking_name")}
        />
        <TextInput
          label={t("settings.booking_address")}
          description={t("settings.booking_address_text")}
          maxLength={maxCompanyAddress}
          readOnly={readOnly}
          {...form.getInputProps("booking_address")}
        />
        <TextInput
          label={t("settings.booking_accent")}
          description={t("settings.booking_accent_text")}
          placeholder="#0d6e68"
          maxLength={7}
          spellCheck={false}
          readOnly={readOnly}
          {...form.getInputProps("booking_accent")}
        />
        <AccentPreview hex={form.values.booking_accent.trim().toLowerCase()} />
      </Stack>
    </Paper>
  );
}

/** The accent as pages show it: a pale one is darkened until words on it can be read. */
function AccentPreview({ hex }: { hex: string }) {
  const { t } = useTranslation();
  if (!hexColour.test(hex)) return null;
  const { accent } = accentColours(hex).light;
  return (
    <Group gap="xs" role="status">
      <ColorSwatch color={accent} size={18} aria-hidden />
      <Text size="xs" c="dimmed">
        {accent === hex
          ? t("settings.accent_readable")
          : t("settings.accent_darkened", { colour: accent })}
      </Text>
    </Group>
  );
}
