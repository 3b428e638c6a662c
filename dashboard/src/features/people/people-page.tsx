import { Button, Stack } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { useSession } from "../../lib/session.ts";
import { membersQuery } from "./api.ts";
import { InvitationList } from "./invitation-list.tsx";
import { InviteModal } from "./invite-modal.tsx";
import { MemberTable } from "./member-table.tsx";

/** Page of the members. Admins invite, disable and set roles. */
export function PeoplePage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [inviting, invite] = useUrlDisclosure();
  const isAdmin = role === "admin";
  return (
    <Page
      title={t("people.title")}
      action={
        isAdmin && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={invite.open}>
            {t("people.invite")}
          </Button>
        )
      }
    >
      <SettingsNav />
      <Stack gap="xl">
        <Members isAdmin={isAdmin} />
        {isAdmin && <InvitationList />}
      </Stack>
      {inviting && <InviteModal onClose={invite.close} />}
    </Page>
  );
}

function Members({ isAdmin }: { isAdmin: boolean }) {
  const [offset, setOffset] = useState(0);
  const members = useQuery(membersQuery(offset));
  return (
    <QueryState query={members}>
      {({ data, meta }) => (
        <div>
          <MemberTable members={data} isAdmin={isAdmin} />
          <Pager meta={meta} onMove={setOffset} />
        </div>
      )}
    </QueryState>
  );
}
