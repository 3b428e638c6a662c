import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, useLocation } from "react-router";
import { SideDialog } from "../components/dialog.tsx";
import { useSession } from "../lib/session.ts";
import { AccountMenu, AccountSwitcher } from "./account-menu.tsx";
import { Bell, useUnread } from "./bell.tsx";
import type { Counts } from "./counts.ts";
import { pagesFor, phonePages, sectionsFor, settingsPage } from "./pages.ts";
import styles from "./shell.module.css";
import { PageCount, SearchButton, Section } from "./sidebar.tsx";

interface PhoneBarProps {
  counts: Counts;
  /** Opens the command palette. */
  onSearch: () => void;
}

/** Bar at the foot of a phone: the pages of the day, and "More" for everything else. */
export function PhoneBar({ counts, onSearch }: PhoneBarProps) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [openedAt, setOpenedAt] = useState<string | null>(null);
  const isOpen = openedAt === pathname;
  // A page that was opened from the dialog comes without the dialog.
  if (openedAt !== null && !isOpen) setOpenedAt(null);
  const needsLook = useUnread() > 0 || counts.isWebhookFailing || counts.isChannelFailing;
  return (
    <>
      <nav className={styles["bar"]} aria-label={t("nav.pages")}>
        {phonePages.map((page) => (
          <NavLink key={page.to} to={page.to} className={styles["tab"]}>
            <page.icon size={22} stroke={1.75} aria-hidden />
            {t(page.label)}
            <PageCount page={page} counts={counts} />
          </NavLink>
        ))}
        <UnstyledButton
          className={styles["tab"] ?? ""}
          aria-expanded={isOpen}
          aria-haspopup="dialog"
          onClick={() => setOpenedAt(pathname)}
        >
          <IconDots size={22} stroke={1.75} aria-hidden />
          {t("nav.more")}
          {needsLook && (
            <>
              <i className={styles["alarm"]} aria-hidden />
              <VisuallyHidden>{t("nav.needs_look")}</VisuallyHidden>
            </>
          )}
        </UnstyledButton>
      </nav>
      {isOpen && <More counts={counts} onSearch={onSearch} onClose={() => setOpenedAt(null)} />}
    </>
  );
}

function More({ counts, onSearch, onClose }: PhoneBarProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const session = useSession();
  const inBar = new Set(phonePages.map(({ to }) => to));
  const sections = sectionsFor(session.role);
  const known = new Set(sections.flatMap(({ pages }) => pages.map(({ to }): string => to)));
  const others = pagesFor(session.role).filter(
    ({ to }) => !known.has(to) && to !== settingsPage.to,
  );
  return (
    <SideDialog position="bottom" size="85dvh" title={t("nav.more")} onClose={onClose}>
      <div className={styles["more"]}>
        <div className={styles["top"]}>
          <AccountSwitcher session={session} folded={false} />
          <Bell />
        </div>
        <SearchButton
          folded={false}
          onSearch={() => {
            onClose();
            onSearch();
          }}
        />
        <nav aria-label={t("nav.more_pages")}>
          {sections.map(({ title, pages }) => (
            <Section
              key={title}
              title={title}
              pages={pages.filter(({ to }) => !inBar.has(to))}
              folded={false}
              counts={counts}
            />
          ))}
          <Section
            title="nav.settings"
            pages={[settingsPage, ...others]}
            folded={false}
            counts={counts}
          />
        </nav>
        <AccountMenu session={session} folded={false} folding={null} />
      </div>
    </SideDialog>
  );
}
