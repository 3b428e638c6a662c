import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { roles, type Role } from "../../../../core/model/principal.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { ApiError } from "../../lib/api.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { linkOptionsQuery } from "../../lib/link-options.ts";
import { tellDone } from "../../lib/notify.ts";
import { useInvite } from "./api.ts";
import { InvitationLink } from "./invitation-link.tsx";

/** Dialog that asks for the new member's data, then shows the link once. */
export function InviteModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const invite = useInvite();
  if (invite.data !== undefined && invite.data.url !== null) {
    return <InvitationLink sent={invite.data} onClose={onClose} />;
  }
  return (
    <Dialog onClose={onClose} title={t("people.invite_title")}>
      <InviteForm invite={invite} onClose={onClose} />
    </Dialog>
  );
}

interface InviteFormProps {
  invite: ReturnType<typeof useInvite>;
  onClose: () => void;
}

function InviteForm({ invite, onClose }: InviteFormProps) {
  const { t } = useTranslation();
  const options = useQuery(linkOptionsQuery);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "", name: "", role: "agent" as Role },
  });
  const send = form.onSubmit(({ email, name, role }) =>
    invite.mutate(
      { email, role, name: name.trim() === "" ? null : name },
      {
        onSuccess: ({ url }) => {
          if (url !== null) return;
          tellDone(t("people.mailed", { email }));
          onClose();
        },
        onError: (error) => form.setErrors(fieldErrors(error)),
      },
    ),
  );
  const refused = invite.error instanceof ApiError && invite.error.code !== "validation_error";
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <TextInput
          label={t("common.email")}
          type="email"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps("email")}
        />
        <TextInput
          label={t("common.name")}
          placeholder={t("common.optional")}
          maxLength={200}
          {...form.getInputProps("name")}
        />
        <Select
          label={t("people.role")}
          allowDeselect={false}
          data={roles.map((value) => ({ value, label: t(`people.${value}`) }))}
          {...form.getInputProps("role")}
        />
        <FormFoot
          error={refused ? errorText(invite.error) : null}
          submit={t(
            options.data?.mail === true ? "people.invite_submit_mail" : "people.invite_submit",
          )}
          pending={invite.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
