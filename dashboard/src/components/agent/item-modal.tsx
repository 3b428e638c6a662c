import { Select, Stack, Switch, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import type { Role } from "../../../../core/model/principal.ts";
import { asLocale, locales, type Locale } from "../../../../core/model/user.ts";
import { Dialog } from "../dialog.tsx";
import { FormFoot } from "../form-foot.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useAskAgain, useSaveItem, type Item, type ItemBody } from "../../lib/knowledge.ts";

/** Texts with which a new item begins. */
export interface ItemDraft {
  question: string;
  answer: string;
  language?: Locale;
  /** Gap that the new item answers. */
  gapId?: number;
}

interface ItemModalProps {
  /** Null for a new item. */
  item: Item | null;
  draft?: ItemDraft;
  /** True where saving a suggestion approves it, unless the person switches that off. */
  approves?: boolean;
  onClose: () => void;
}

interface ItemValues {
  question: string;
  answer: string;
  language: Locale;
  phrasings: string[];
  approved: boolean;
}

/** Dialog for a question with its answer. Only an admin lets the agent answer with it. */
export function ItemModal({ item, draft, approves = false, onClose }: ItemModalProps) {
  const { t, i18n } = useTranslation();
  const { role } = useSession();
  const save = useSaveItem(item?.id ?? null);
  const askAgain = useAskAgain();
  const form = useForm<ItemValues>({
    initialValues: {
      question: item?.question ?? draft?.question ?? "",
      answer: item?.answer ?? draft?.answer ?? "",
      language: item?.language ?? draft?.language ?? asLocale(i18n.language),
      phrasings: item?.phrasings ?? [],
      approved: item === null ? role === "admin" : approves || item.state === "approved",
    },
  });
  const send = form.onSubmit((values) => {
    const ofGap = draft?.gapId === undefined ? {} : { gap_id: draft.gapId };
    save.mutate(
      { ...bodyOf(values, item, role), ...ofGap },
      {
        onSuccess: (saved) => {
          onClose();
          if (saved.state === "approved") void askAgain(draft?.question ?? saved.question, saved);
          else tellDone(t(role === "admin" ? "common.saved" : "knowledge.proposed"));
        },
        onError: (error) => form.setErrors(fieldErrors(error)),
      },
    );
  });
  const isRefused = save.error !== null && Object.keys(fieldErrors(save.error)).length === 0;
  const title = t(item === null ? "knowledge.add" : "knowledge.edit");
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <form onSubmit={send} noValidate>
        <Stack gap="sm">
          {draft !== undefined && draft.answer !== "" && (
            <Text size="sm" c="dimmed">
              {t("knowledge.masked")}
            </Text>
          )}
          <ItemFields form={form} isAdmin={role === "admin"} />
          <FormFoot
            error={isRefused ? errorText(save.error) : null}
            submit={t("common.save")}
            pending={save.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** Members without the role send no state, since only admins set it. */
function bodyOf({ approved, ...values }: ItemValues, item: Item | null, role: Role): ItemBody {
  if (role !== "admin") return values;
  const other = item?.state === "archived" ? "archived" : "suggested";
  return { ...values, state: approved ? "approved" : other };
}

interface ItemFieldsProps {
  form: UseFormReturnType<ItemValues>;
  isAdmin: boolean;
}

function ItemFields({ form, isAdmin }: ItemFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("knowledge.question")}
        maxLength={500}
        dir="auto"
        data-autofocus
        {...form.getInputProps("question")}
      />
      <Textarea
        label={t("knowledge.answer")}
        description={t("knowledge.answer_text")}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={4_000}
        dir="auto"
        {...form.getInputProps("answer")}
      />
      <TagsInput
        label={t("knowledge.phrasings")}
        description={t("knowledge.phrasings_text")}
        maxTags={20}
        {...form.getInputProps("phrasings")}
      />
      <Select
        label={t("settings.language")}
        allowDeselect={false}
        data={locales.map((value) => ({ value, label: t(`canned.locale.${value}`) }))}
        {...form.getInputProps("language")}
      />
      {isAdmin ? (
        <Switch
          label={t("knowledge.answers")}
          {...form.getInputProps("approved", { type: "checkbox" })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t("knowledge.proposes")}
        </Text>
      )}
    </>
  );
}
