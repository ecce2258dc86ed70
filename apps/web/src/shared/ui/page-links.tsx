// Pages that belong together, as links above each of them: they look like tabs, and each has its own address.
import { NavLink } from "react-router";
import classes from "./page-links.module.css";

export interface PageLinksProps {
  /** What the pages are parts of: "Admin Console". */
  label: string;
  links: readonly { label: string; path: string }[];
}

export function PageLinks({ label, links }: PageLinksProps) {
  return (
    <nav aria-label={label} className={classes.list}>
      {links.map(({ label: text, path }) => (
        <NavLink key={path} to={path} end className={classes.link}>
          {text}
        </NavLink>
      ))}
    </nav>
  );
}
