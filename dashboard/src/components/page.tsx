import { Anchor, Box, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import styles from "./page.module.css";

interface PageProps {
  title: string;
  /** Name of the browser's tab, where the title says something else. */
  tab?: string;
  /** List that the page belongs to, before its title. */
  parent?: { to: string; label: string };
  /** A state, a count or a time zone, behind the title. */
  aside?: ReactNode;
  /** The page's buttons. At most one of them is filled. */
  action?: ReactNode;
  /** True for a page of fields, which is at most 720 px wide. */
  form?: boolean;
  children: ReactNode;
}

/** Frame of every page but the inbox: a head of 56 px, and content on the same left edge. */
export function Page({
  title,
  tab = title,
  parent,
  aside,
  action,
  form = false,
  children,
}: PageProps) {
  useDocumentTitle(`${tab} · Parley`);
  return (
    // Takes the keyboard focus where the focused element disappeared. A focus ring around the whole
    // page would say nothing.
    <Box tabIndex={-1} className={styles["page"] ?? ""}>
      <div className={styles["head"]}>
        <div className={styles["names"]}>
          {parent !== undefined && (
            <>
              <Anchor component={Link} to={parent.to} className={styles["crumb"] ?? ""}>
                {parent.label}
              </Anchor>
              <IconChevronRight size={14} color="var(--parley-ink-3)" aria-hidden />
            </>
          )}
          <Title
            order={1}
            size={parent === undefined ? "h1" : "h2"}
            className={styles["title"] ?? ""}
            title={title}
            dir="auto"
          >
            {title}
          </Title>
          {aside !== undefined && aside !== false && (
            <span className={styles["aside"]}>{aside}</span>
          )}
        </div>
        <Group gap="xs">{action}</Group>
      </div>
      <div className={styles["body"]} data-form={form || undefined}>
        {children}
      </div>
    </Box>
  );
}
