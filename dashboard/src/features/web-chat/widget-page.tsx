import { Stack } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { SaveBar } from "../../components/form-foot.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { UrlTabs } from "../../components/url-tabs.tsx";
import { rebase } from "../../lib/difference.ts";
import { errorText } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { useChangeWidget, useWidget } from "./api.ts";
import { type Widget } from "../../lib/widgets.ts";
import { ChatFields } from "./chat-fields.tsx";
import { IdentityFields } from "./identity-fields.tsx";
import { InstallFields } from "./install-fields.tsx";
import { LookFields } from "./look-fields.tsx";
import { Preview } from "./preview.tsx";
import { SeenStatus } from "./seen-status.tsx";
import styles from "./web-chat.module.css";
import { WidgetActions } from "./widget-actions.tsx";
import {
  bodyOf,
  changeOf,
  formErrors,
  useWidgetForm,
  valuesOf,
  type WidgetValues,
} from "./widget-values.ts";

/** Page of a widget for admins: install, look and texts with a preview, chat, and identity. */
export function WidgetPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role === "admin") return <Looked />;
  return (
    <Page title={t("web_chat.title")}>
      <Empty title={t("channels.admins")} text={t("error.forbidden_role")} />
    </Page>
  );
}

const useParent = () => ({ to: paths.webChat, label: useTranslation().t("web_chat.title") });

function Looked() {
  const { widget: id } = useParams();
  const query = useWidget(Number(id));
  return (
    <QueryState query={query}>
      {(widget) => (widget === null ? <Gone /> : <Loaded key={widget.id} widget={widget} />)}
    </QueryState>
  );
}

function Gone() {
  const { t } = useTranslation();
  return (
    <Page title={t("web_chat.title")} parent={useParent()}>
      <Empty title={t("web_chat.gone")} text={t("web_chat.gone_text")} />
    </Page>
  );
}

function Loaded({ widget }: { widget: Widget }) {
  return (
    <Page
      title={widget.name}
      parent={useParent()}
      aside={<SeenStatus widget={widget} />}
      action={<WidgetActions widget={widget} />}
    >
      <WidgetForm widget={widget} />
    </Page>
  );
}

/** The form, with the call that saves its changes. */
function useSavedForm(widget: Widget) {
  const { t } = useTranslation();
  const form = useWidgetForm(widget);
  const change = useChangeWidget(widget.id);
  const send = form.onSubmit(async (values) => {
    try {
      const patch = changeOf(values, form.getInitialValues());
      const saved = valuesOf(await change.mutateAsync(patch));
      form.setInitialValues(saved);
      // Text that was typed during the save is not saved yet.
      form.setValues((typed) => rebase(saved, typed as WidgetValues, values));
      form.setDirty({});
      tellDone(t("common.saved"));
    } catch (error) {
      const fields = formErrors(error);
      form.setErrors({ ...fields, form: errorText(error) });
    }
  });
  return { form, send, isPending: change.isPending };
}

/** One form over all tabs: a change of one tab is not lost on another one. */
function WidgetForm({ widget }: { widget: Widget }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { form, send, isPending } = useSavedForm(widget);
  const [locale, setLocale] = useState(widget.settings.default_locale);
  const { identity_mode, settings } = bodyOf(form.values);
  const shown = { ...settings, default_locale: locale };
  const config = { key: widget.key, company: account.name, identity_mode, settings: shown };
  const foot = (
    <SaveBar
      changed={form.isDirty()}
      error={form.errors["form"] ?? hiddenError(form.errors, t("web_chat.look_at_tabs"))}
      pending={isPending}
      onReset={form.reset}
    />
  );
  const alone = (fields: ReactNode) => (
    <Stack maw={720}>
      {fields}
      {foot}
    </Stack>
  );
  const beside = (fields: ReactNode) => (
    <div className={styles["beside"]}>
      <Stack>
        {fields}
        {foot}
      </Stack>
      <Preview scriptUrl={widget.script_url} config={config} />
    </div>
  );
  const tabs = [
    {
      name: "install",
      label: t("web_chat.tabs.install"),
      panel: alone(<InstallFields form={form} widget={widget} />),
    },
    {
      name: "look",
      label: t("web_chat.tabs.look"),
      panel: beside(<LookFields form={form} locale={locale} onLocale={setLocale} />),
    },
    {
      name: "chat",
      label: t("web_chat.tabs.chat"),
      panel: beside(<ChatFields form={form} />),
    },
    {
      name: "identity",
      label: t("web_chat.tabs.identity"),
      panel: alone(<IdentityFields form={form} widget={widget} />),
    },
  ];
  return (
    <form onSubmit={send} noValidate>
      <UrlTabs tabs={tabs} />
    </form>
  );
}

/** A refused field may stand on a tab that is not open. */
function hiddenError(errors: object, text: string): string | null {
  return Object.keys(errors).length === 0 ? null : text;
}
