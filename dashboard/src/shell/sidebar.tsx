import { ActionIcon, AppShell, Divider, Group, NavLink, Text, Tooltip } from "@mantine/core";
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconX,
} from "@tabler/icons-react";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { NavLink as RouterLink } from "react-router";
import { useSession } from "../lib/session.ts";
import { pageGroupsFor, type PageLink } from "./pages.ts";

interface SidebarProps {
  folded: boolean;
  /** Null where the width of the screen decides. */
  onFold: (() => void) | null;
  /** Closes the menu of a phone, which covers the page. */
  onClose: () => void;
}

/** Links to every page; a folded sidebar shows icons alone. */
export function Sidebar({ folded, onFold, onClose }: SidebarProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  return (
    <>
      <AppShell.Section h={52} px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <img src="/icon.svg" alt="" width={28} height={28} />
            {!folded && <Text fw={600}>Parley</Text>}
          </Group>
          <ActionIcon
            hiddenFrom="sm"
            variant="subtle"
            color="gray"
            onClick={onClose}
            aria-label={t("nav.close")}
          >
            <IconX size={18} />
          </ActionIcon>
        </Group>
      </AppShell.Section>
      <AppShell.Section grow px="xs" component="nav" aria-label={t("nav.pages")}>
        {pageGroupsFor(role).map((group, index) => (
          <Fragment key={group[0]?.to}>
            {index > 0 && <Divider my="xs" />}
            {group.map((page) => (
              <SidebarLink key={page.to} page={page} folded={folded} />
            ))}
          </Fragment>
        ))}
      </AppShell.Section>
      {onFold !== null && <FoldButton folded={folded} onFold={onFold} />}
    </>
  );
}

function SidebarLink({ page, folded }: { page: PageLink; folded: boolean }) {
  const { t } = useTranslation();
  const label = t(page.label);
  return (
    <Tooltip label={label} position="right" disabled={!folded}>
      <RouterLink
        to={page.to}
        style={{ textDecoration: "none", color: "inherit", display: "block" }}
      >
        {({ isActive }) => (
          <NavLink
            component="span"
            active={isActive}
            label={folded ? undefined : label}
            leftSection={
              <page.icon size={20} stroke={1.6} aria-label={folded ? label : undefined} />
            }
            style={{ borderRadius: 8 }}
            mb={2}
          />
        )}
      </RouterLink>
    </Tooltip>
  );
}

function FoldButton({ folded, onFold }: { folded: boolean; onFold: () => void }) {
  const { t } = useTranslation();
  const FoldIcon = folded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <AppShell.Section p="xs" visibleFrom="sm">
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={onFold}
        aria-label={t(folded ? "nav.unfold" : "nav.fold")}
        aria-expanded={!folded}
        ml={6}
      >
        <FoldIcon size={20} />
      </ActionIcon>
    </AppShell.Section>
  );
}
