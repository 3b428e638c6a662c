import { useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";
import styles from "./page.module.css";

interface SectionLinksProps {
  /** Name of the group for screen readers. */
  label: string;
  links: { to: string; label: string }[];
}

/** Links between the pages of a section, at the top of each of them. */
export function SectionLinks({ label, links }: SectionLinksProps) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // A phone shows a part of the links. The row is moved, and the page stays where it is.
  useEffect(() => {
    const row = nav.current;
    const current = row?.querySelector<HTMLElement>("[aria-current=page]");
    if (row === null || current === null || current === undefined) return;
    const [around, at] = [row.getBoundingClientRect(), current.getBoundingClientRect()];
    row.scrollLeft += at.left - around.left - (around.width - at.width) / 2;
  }, [pathname, links.length]);
  return (
    <nav ref={nav} aria-label={label} className={styles["links"]}>
      {links.map(({ to, label: word }) => (
        <Link
          key={to}
          to={to}
          className={styles["link"]}
          aria-current={pathname === to ? "page" : undefined}
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
