import { Select, type SelectProps } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../components/avatar.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { usePageAction } from "../../lib/page-actions.ts";
import { useSession } from "../../lib/session.ts";
import { useTeam } from "../../lib/team.ts";
import type { Conversation } from "./api.ts";
import { useSelectKey } from "./select-key.ts";
import { useConversationChange } from "./use-conversation-change.ts";

const nobody = "nobody";

interface AssignSelectProps extends Pick<SelectProps, "label" | "size" | "className"> {
  conversation: Conversation;
}

/** Field for the member who takes care of a conversation. */
export function AssignSelect({ conversation, ...look }: AssignSelectProps) {
  const { t } = useTranslation();
  const { id, assigned_to_user_id: assignee } = conversation;
  const change = useConversationChange(id);
  const byKey = useSelectKey("a");
  const { user } = useSession();
  const isMine = assignee === user.id;
  const assignMe = (): void => change.mutate({ type: "assign", userId: user.id });
  usePageAction(
    isMine
      ? null
      : { id: "assign", label: t("inbox.assign_me"), icon: IconUserCheck, run: assignMe },
  );
  const team = useTeam().filter((one) => one.disabled_at === null || one.id === assignee);
  const assigned = team.find(({ id: one }) => one === assignee);
  return (
    <Select
      {...look}
      {...byKey}
      aria-label={t("inbox.assignee")}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      comboboxProps={{ width: 200, position: "bottom-end" }}
      leftSectionPointerEvents="all"
      leftSection={
        isMine ? (
          assigned && <Avatar id={assigned.id} name={assigned.name} size={20} />
        ) : (
          <IconAction label={t("inbox.assign_me")} size={24} visibleFrom="sm" onClick={assignMe}>
            <IconUserCheck size={15} />
          </IconAction>
        )
      }
      value={String(assignee ?? nobody)}
      onChange={(chosen) =>
        change.mutate({
          type: "assign",
          userId: chosen === nobody || chosen === null ? null : Number(chosen),
        })
      }
      data={[
        { value: nobody, label: t("inbox.nobody") },
        ...team.map((one) => ({ value: String(one.id), label: one.name })),
      ]}
    />
  );
}
