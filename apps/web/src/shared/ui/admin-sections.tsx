// Links to the pages of the Admin Console, shown above each of them.
import type { Role } from "@strongroom/contract";
import { useUser } from "#shared/session/session-store.ts";
import { paths } from "../paths.ts";
import { NavLink } from "react-router";
import classes from "./admin-sections.module.css";

/** The pages, each with the roles that may open the page, as the server enforces. */
const SECTIONS: readonly { label: string; path: string; roles: readonly Role[] }[] = [
  { label: "Console", path: paths.admin, roles: ["admin"] },
  { label: "Groups", path: paths.adminGroups, roles: ["admin", "manager"] },
  { label: "Platforms", path: paths.adminPlatforms, roles: ["admin", "manager", "user"] },
];

export function AdminSections() {
  const { role } = useUser();
  return <PageLinks label="Admin Console pages" links={SECTIONS.filter(({ roles }) => roles.includes(role))} />;
}

interface PageLinksProps {
  /** The accessible name of the group: "Admin Console". */
  label: string;
  links: readonly { label: string; path: string }[];
}

function PageLinks({ label, links }: PageLinksProps) {
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
