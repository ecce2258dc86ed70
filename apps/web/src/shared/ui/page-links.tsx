// Links between related pages, above each of them, styled as tabs.
import { NavLink } from "react-router";
import classes from "./page-links.module.css";

export interface PageLinksProps {
  /** The accessible name of the group: "Admin Console". */
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
