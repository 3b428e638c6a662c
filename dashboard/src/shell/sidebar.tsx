import { Kbd, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, useLocation } from "react-router";
import { useSession } from "../lib/session.ts";
import { useViewLinks } from "../lib/view-links.ts";
import { paths } from "../paths.ts";
import { AccountMenu, AccountSwitcher, type Folding } from "./account-menu.tsx";
import { Bell } from "./bell.tsx";
import type { Counts } from "./counts.ts";
import { sectionsFor, settingsPage, type PageLink, type SectionTitle } from "./pages.ts";
import styles from "./shell.module.css";

interface SidebarProps {
  folded: boolean;
  /** Null where the width of the screen decides. */
  folding: Folding | null;
  counts: Counts;
  /** Opens the command palette. */
  onSearch: () => void;
}

/** Account, search, links to every page, and the person; a folded sidebar shows icons alone. */
export function Sidebar({ folded, folding, counts, onSearch }: SidebarProps) {
  const { t } = useTranslation();
  const session = useSession();
  return (
    <div className={styles["side"]} data-folded={folded || undefined}>
      <header>
        <div className={styles["top"]}>
          <AccountSwitcher session={session} folded={folded} />
          <Bell />
        </div>
        <SearchButton folded={folded} onSearch={onSearch} />
      </header>
      <nav className={styles["pages"]} aria-label={t("nav.pages")}>
        {sectionsFor(session.role).map(({ title, pages }) => (
          <Section key={title} title={title} pages={pages} folded={folded} counts={counts} />
        ))}
      </nav>
      <footer className={styles["foot"]}>
        <AccountMenu session={session} folded={folded} folding={folding} />
        <SettingsLink />
      </footer>
    </div>
  );
}

interface SearchButtonProps {
  folded: boolean;
  onSearch: () => void;
}

/** Button that looks like a search field and opens the command palette. */
export function SearchButton({ folded, onSearch }: SearchButtonProps) {
  const { t } = useTranslation();
  return (
    <UnstyledButton
      className={styles["search"] ?? ""}
      w="100%"
      fz="sm"
      aria-keyshortcuts="Control+K"
      onClick={onSearch}
    >
      <IconSearch size={15} aria-hidden />
      {folded ? (
        <VisuallyHidden>{t("palette.open")}</VisuallyHidden>
      ) : (
        <>
          <span className={styles["searchWord"]}>{t("palette.open")}</span>
          <Kbd aria-hidden>Ctrl K</Kbd>
        </>
      )}
    </UnstyledButton>
  );
}

interface SectionProps {
  title: SectionTitle | "nav.settings";
  pages: readonly PageLink[];
  folded: boolean;
  counts: Counts;
}

/** A titled group of links. */
export function Section({ title, pages, folded, counts }: SectionProps) {
  const { t } = useTranslation();
  const isInInbox = useLocation().pathname.startsWith(paths.inbox);
  return (
    <>
      <p className={styles["section"]} id={title} aria-hidden={folded}>
        {t(title)}
      </p>
      <ul className={styles["list"]} aria-labelledby={title}>
        {pages.map((page) => (
          <li key={page.to}>
            {page.label === "nav.inbox" && !folded && isInInbox ? (
              <InboxLinks page={page} />
            ) : (
              <SidebarLink page={page} folded={folded} counts={counts} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The link to the inbox, opened into its views. */
function InboxLinks({ page }: { page: PageLink }) {
  const { t } = useTranslation();
  return (
    <>
      <Link to={page.to} className={styles["link"]} data-open>
        <page.icon size={17} stroke={1.75} aria-hidden />
        <span>{t(page.label)}</span>
      </Link>
      <ul className={styles["list"]} aria-label={t("inbox.view")}>
        {useViewLinks().map(({ key, to, label, count, isCurrent }) => (
          <li key={key}>
            <Link
              to={to}
              className={`${styles["link"]} ${styles["view"]}`}
              aria-current={isCurrent ? "page" : undefined}
            >
              <span className={styles["viewName"]} dir="auto">
                {label}
              </span>
              {count !== "" && <span className={`${styles["count"]} tabular`}>{count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

interface SidebarLinkProps {
  page: PageLink;
  folded: boolean;
  counts: Counts;
}

function SidebarLink({ page, folded, counts }: SidebarLinkProps) {
  const { t } = useTranslation();
  const label = t(page.label);
  return (
    <Tooltip label={label} position="right" disabled={!folded}>
      <NavLink to={page.to} className={styles["link"]}>
        <page.icon size={17} stroke={1.75} aria-label={folded ? label : undefined} />
        {!folded && <span>{label}</span>}
        <PageCount page={page} counts={counts} />
      </NavLink>
    </Tooltip>
  );
}

/** Mark of a page that needs somebody: a number, or a red dot. */
export function PageCount({ page: { label }, counts }: { page: PageLink; counts: Counts }) {
  const { t } = useTranslation();
  const { needsAnswer, isWebhookFailing, isChannelFailing, today } = counts;
  if (label === "nav.inbox" && needsAnswer > 0) {
    return <Count count={needsAnswer} words={t("nav.need_answer", { count: needsAnswer })} />;
  }
  if (label === "nav.appointments" && today > 0) {
    return <Count count={today} words={t("nav.today", { count: today })} />;
  }
  if (label === "nav.webhooks" && isWebhookFailing) return <Alarm words={t("nav.failing")} />;
  if (label === "nav.channels" && isChannelFailing) {
    return <Alarm words={t("nav.channel_failing")} />;
  }
  return null;
}

/** A red dot, with words for screen readers. */
function Alarm({ words }: { words: string }) {
  return (
    <>
      <i className={styles["alarm"]} aria-hidden />
      <VisuallyHidden>{words}</VisuallyHidden>
    </>
  );
}

function Count({ count, words }: { count: number; words: string }) {
  return (
    <>
      <span className={`${styles["count"]} tabular`} aria-hidden>
        {count > 99 ? "99+" : count}
      </span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </>
  );
}

function SettingsLink() {
  const { t } = useTranslation();
  const label = t(settingsPage.label);
  return (
    <Tooltip label={label}>
      <NavLink to={settingsPage.to} className={styles["settings"]} aria-label={label}>
        <settingsPage.icon size={17} stroke={1.75} aria-hidden />
      </NavLink>
    </Tooltip>
  );
}
