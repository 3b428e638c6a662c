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
  return (
    <nav aria-label={label} className={styles["links"]}>
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
