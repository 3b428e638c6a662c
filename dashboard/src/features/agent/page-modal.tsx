import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { asLocale, locales, type Locale } from "../../../../core/model/user.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { useAddSource } from "../../lib/knowledge.ts";
import { useSourceError } from "./use-upload.ts";

/** Dialog that adds a page of which suggestions are made. */
export function PageModal({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const add = useAddSource();
  const errorOf = useSourceError();
  const form = useForm<{ url: string; language: Locale }>({
    initialValues: { url: "", language: asLocale(i18n.language) },
  });
  const send = form.onSubmit(({ url, language }) =>
    add.mutate(
      { kind: "page", url: withScheme(url.trim()), language },
      { onSuccess: onClose, onError: (error) => form.setFieldError("url", errorOf(error)) },
    ),
  );
  return (
    <Dialog onClose={onClose} title={t("knowledge.add_page")}>
      <form onSubmit={send} noValidate>
        <Stack gap="sm">
          <TextInput
            label={t("knowledge.url")}
            description={t("knowledge.url_text")}
            placeholder="https://"
            inputMode="url"
            autoCapitalize="off"
            maxLength={2_048}
            dir="ltr"
            data-autofocus
            {...form.getInputProps("url")}
          />
          <Select
            label={t("settings.language")}
            description={t("knowledge.language_text")}
            allowDeselect={false}
            data={locales.map((value) => ({ value, label: t(`canned.locale.${value}`) }))}
            {...form.getInputProps("language")}
          />
          <FormFoot
            error={null}
            submit={t("knowledge.add_page")}
            pending={add.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** People type an address as a browser takes it. */
function withScheme(url: string): string {
  return url === "" || /^[a-z][a-z\d+.-]*:/iu.test(url) ? url : `https://${url}`;
}
