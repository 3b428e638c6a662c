import {
  Input,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { hexColour } from "../../../../core/model/accent.ts";
import type { WidgetLocale } from "../../../../core/model/widget.ts";
import styles from "./web-chat.module.css";
import type { FieldsProps } from "./widget-values.ts";

const widgetLocales = ["en", "es", "pt"] as const satisfies readonly WidgetLocale[];
const themes = ["auto", "light", "dark"] as const;
const corners = ["left", "right"] as const;
const fonts = ["system", "serif", "rounded", "mono"] as const;
const maxRadius = 24;

interface LookProps extends FieldsProps {
  /** Language of the texts that are edited, and of the preview. */
  locale: WidgetLocale;
  onLocale: (locale: WidgetLocale) => void;
}

/** Colours, form and words of the widget. */
export function LookFields({ form, ...language }: LookProps) {
  return (
    <Stack>
      <Look form={form} />
      <Texts form={form} {...language} />
    </Stack>
  );
}

function Look({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("web_chat.look")}</Title>
        <Accent form={form} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Choice
            label={t("web_chat.theme")}
            data={themes.map((value) => ({ value, label: t(`web_chat.themes.${value}`) }))}
            {...form.getInputProps("settings.look.theme")}
          />
          <Choice
            label={t("web_chat.corner")}
            data={corners.map((value) => ({ value, label: t(`web_chat.corners.${value}`) }))}
            {...form.getInputProps("settings.look.corner")}
          />
          <Select
            label={t("web_chat.font")}
            allowDeselect={false}
            data={fonts.map((value) => ({ value, label: t(`web_chat.fonts.${value}`) }))}
            {...form.getInputProps("settings.look.font")}
          />
          <NumberInput
            label={t("web_chat.radius")}
            min={0}
            max={maxRadius}
            allowDecimal={false}
            suffix=" px"
            value={form.values.settings.look.radius}
            onChange={(value) =>
              form.setFieldValue("settings.look.radius", typeof value === "number" ? value : 0)
            }
          />
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}

/** A colour as text, with the browser's own picker beside it. */
function Accent({ form }: FieldsProps) {
  const { t } = useTranslation();
  const { accent } = form.values.settings.look;
  const hex = accent.toLowerCase();
  return (
    <TextInput
      label={t("web_chat.accent")}
      placeholder="#1d6f5c"
      maxLength={7}
      spellCheck={false}
      leftSection={
        <input
          type="color"
          className={styles["colour"]}
          aria-label={t("web_chat.pick_colour")}
          value={hexColour.test(hex) ? hex : "#000000"}
          onChange={({ currentTarget }) =>
            form.setFieldValue("settings.look.accent", currentTarget.value)
          }
        />
      }
      {...form.getInputProps("settings.look.accent")}
    />
  );
}

interface ChoiceProps {
  label: string;
  data: { value: string; label: string }[];
  value?: string;
  onChange: (value: string) => void;
}

/** Segments under a label. */
function Choice({ label, data, value, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }}>
      <SegmentedControl
        fullWidth
        role="radiogroup"
        aria-labelledby={id}
        data={data}
        {...(value !== undefined && { value })}
        onChange={onChange}
      />
    </Input.Wrapper>
  );
}

/** Longest texts, in characters, as the API takes them. */
const lines = { launcher: 40, title: 60, subtitle: 120, reply_time: 120 } as const;
const areas = { greeting: 300, offline: 200, consent: 600 } as const;

/** Words in each language. */
function Texts({ form, locale, onLocale }: LookProps) {
  const { t } = useTranslation();
  const data = widgetLocales.map((value) => ({ value, label: t(`web_chat.locales.${value}`) }));
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("web_chat.texts")}</Title>
        <Text size="sm" c="dimmed">
          {t("web_chat.texts_text")}
        </Text>
        <Select
          label={t("web_chat.default_locale")}
          description={t("web_chat.default_locale_text")}
          allowDeselect={false}
          data={data}
          {...form.getInputProps("settings.default_locale")}
        />
        <Choice
          label={t("web_chat.edited_locale")}
          data={data}
          value={locale}
          onChange={(value) => onLocale(value as WidgetLocale)}
        />
        <LocaleTexts key={locale} form={form} locale={locale} />
      </Stack>
    </Paper>
  );
}

function LocaleTexts({ form, locale }: FieldsProps & { locale: WidgetLocale }) {
  const { t } = useTranslation();
  const { shows_reply_time: showsReplyTime, consent } = form.values.settings;
  return (
    <>
      {(["launcher", "title", "subtitle"] as const).map((field) => (
        <TextInput
          key={field}
          label={t(`web_chat.text.${field}`)}
          description={t(`web_chat.text_help.${field}`)}
          maxLength={lines[field]}
          dir="auto"
          {...form.getInputProps(`settings.texts.${locale}.${field}`)}
        />
      ))}
      {showsReplyTime && (
        <TextInput
          label={t("web_chat.text.reply_time")}
          description={t("web_chat.text_help.reply_time")}
          maxLength={lines.reply_time}
          dir="auto"
          {...form.getInputProps(`settings.texts.${locale}.reply_time`)}
        />
      )}
      {(["greeting", "offline", "consent"] as const)
        .filter((field) => field !== "consent" || consent !== "none")
        .map((field) => (
          <Textarea
            key={field}
            label={t(`web_chat.text.${field}`)}
            description={t(`web_chat.text_help.${field}`)}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={areas[field]}
            dir="auto"
            {...form.getInputProps(`settings.texts.${locale}.${field}`)}
          />
        ))}
    </>
  );
}
