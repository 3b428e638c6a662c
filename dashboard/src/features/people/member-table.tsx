import { Group, Select, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { roles, type Role } from "../../../../core/model/principal.ts";
import { Status } from "../../components/status.tsx";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useChangeMember, type Member } from "./api.ts";
import { MemberActions } from "./member-actions.tsx";

/** Table of the members. Members cannot change their own access. */
export function MemberTable({ members, isAdmin }: { members: Member[]; isAdmin: boolean }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("people.title")}
      minWidth={640}
      heads={[
        t("common.name"),
        t("people.role"),
        t("people.state"),
        t("people.seen"),
        ...(isAdmin ? [""] : []),
      ]}
    >
      {members.map((member) => (
        <MemberRow key={member.id} member={member} isAdmin={isAdmin} />
      ))}
    </WideTable>
  );
}

function MemberRow({ member, isAdmin }: { member: Member; isAdmin: boolean }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const isSelf = member.id === user.id;
  const disabled = member.disabled_at !== null;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={500}>{member.name}</Text>
          {isSelf && <Chip>{t("people.you")}</Chip>}
          {!member.email_confirmed && <Chip outline>{t("people.unconfirmed")}</Chip>}
        </Group>
        <Text size="xs" c="dimmed">
          {member.email}
        </Text>
      </Table.Td>
      <Table.Td>
        {isAdmin && !isSelf ? <RoleSelect member={member} /> : t(`people.${member.role}`)}
      </Table.Td>
      <Table.Td>
        <Status tone={disabled ? "gray" : "ok"}>
          {t(disabled ? "people.disabled" : "people.enabled")}
        </Status>
      </Table.Td>
      <Table.Td>
        {member.last_seen_at === null ? t("people.never") : <Moment at={member.last_seen_at} />}
      </Table.Td>
      {isAdmin && <Table.Td ta="right">{!isSelf && <MemberActions member={member} />}</Table.Td>}
    </Table.Tr>
  );
}

function RoleSelect({ member: { id, name, role } }: { member: Member }) {
  const { t } = useTranslation();
  const change = useChangeMember();
  return (
    <Select
      w={150}
      aria-label={t("people.role_of", { name })}
      allowDeselect={false}
      // Not disabled while it saves, because a disabled field loses the keyboard focus.
      aria-busy={change.isPending}
      data={roles.map((value) => ({ value, label: t(`people.${value}`) }))}
      value={change.isPending ? (change.variables.role ?? role) : role}
      onChange={(chosen) => {
        if (change.isPending) return;
        change.mutate(
          { id, role: chosen as Role },
          { onError: (error) => tellFailure(t("people.not_changed", { name }), error) },
        );
      }}
    />
  );
}
