// Links to the pages of the Admin Console, shown above each of them.
import type { Role } from "@strongroom/contract";
import { useUser } from "#shared/session/session-store.ts";
import { PageLinks } from "#shared/ui/page-links.tsx";
import { paths } from "../paths.ts";

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
