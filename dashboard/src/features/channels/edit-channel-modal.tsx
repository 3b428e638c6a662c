import { Stack, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { NameField } from "../../components/name-field.tsx";
import { channelName } from "../../lib/channel-words.ts";
import { fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useEditChannel, type Channel } from "./api.ts";

interface EditProps {
  channel: Channel;
  onClose: () => void;
}

/** Dialog that changes a channel's name, who answers new conversations, and the 7 days of people. */
export function EditChannelModal({ channel, onClose }: EditProps) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={t("channels.edit_title", { name: channelName(channel) })}>
      <EditForm channel={channel} onClose={onClose} />
    </Dialog>
  );
}

function EditForm({ channel, onClose }: EditProps) {
  const { t } = useTranslation();
  const edit = useEditChannel(channel.id);
  const { name, bot_default, human_agent, marks_read } = channel;
  const form = useForm({ initialValues: { name, bot_default, human_agent, marks_read } });
  // Only what was changed: another admin may change the rest meanwhile.
  const save = form.onSubmit((values) =>
    edit.mutate(
      Object.fromEntries(Object.entries(values).filter(([field]) => form.isDirty(field))),
      {
        onSuccess: () => {
          onClose();
          tellDone(t("channels.edited"));
        },
        onError: (error) => form.setErrors(fieldErrors(error)),
      },
    ),
  );
  return (
    <form onSubmit={save}>
      <Stack gap="md">
        <NameField {...form.getInputProps("name")} />
        <Switch
          label={t("channels.bot_default")}
          description={t("channels.bot_default_text")}
          {...form.getInputProps("bot_default", { type: "checkbox" })}
        />
        {channel.driver !== "whatsapp_cloud" && (
          <Switch
            label={t("channels.human_agent")}
            description={t("channels.human_agent_text")}
            {...form.getInputProps("human_agent", { type: "checkbox" })}
          />
        )}
        <Switch
          label={t("channels.marks_read")}
          description={t("channels.marks_read_text")}
          {...form.getInputProps("marks_read", { type: "checkbox" })}
        />
        <MutationFoot
          mutation={edit}
          submit={t("common.save")}
          disabled={!form.isDirty()}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
