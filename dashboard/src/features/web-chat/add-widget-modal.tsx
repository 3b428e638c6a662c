import { Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { isSiteOrigin } from "../../../../core/model/site-origin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { languageOf } from "../../lib/i18n.ts";
import { errorText } from "../../lib/error-text.ts";
import { useSession } from "../../lib/session.ts";
import { widgetPath } from "../../paths.ts";
import { useAddWidget } from "./api.ts";
import { formErrors, readOrigins } from "./widget-values.ts";

/** Dialog that adds a widget and opens its page. */
export function AddWidgetModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const navigate = useNavigate();
  const add = useAddWidget();
  const form = useForm({
    initialValues: { name: account.name, origins: "" },
    validate: {
      origins: (value) => {
        const wrong = readOrigins(value).find((origin) => !isSiteOrigin(origin));
        return wrong === undefined ? null : t("web_chat.bad_origin", { origin: wrong });
      },
    },
  });
  const save = form.onSubmit(({ name, origins }) =>
    add.mutate(
      {
        name,
        allowed_origins: readOrigins(origins),
        settings: { default_locale: languageOf(account.locale) },
      },
      {
        onSuccess: ({ id }) => void navigate(widgetPath(id)),
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  );
  return (
    <Dialog onClose={onClose} title={t("web_chat.add")}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <TextInput
            label={t("common.name")}
            description={t("web_chat.name_text")}
            required
            withAsterisk={false}
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Textarea
            label={t("web_chat.sites")}
            description={t("web_chat.sites_text")}
            placeholder="https://www.example.com"
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps("origins")}
          />
          <FormFoot
            error={add.isError ? errorText(add.error) : null}
            submit={t("web_chat.add_submit")}
            pending={add.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
