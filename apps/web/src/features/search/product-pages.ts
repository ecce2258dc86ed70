// The pages of the product and the roles that can open them.
import type { Role } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";
import { navigation } from "#shared/navigation.ts";

export interface ProductPage {
  label: string;
  path: string;
}

const OTHERS: readonly (ProductPage & { roles?: readonly Role[] })[] = [
  { label: "Groups", path: paths.adminGroups, roles: ["admin", "manager"] },
  { label: "Platforms", path: paths.adminPlatforms },
  { label: "Profile", path: paths.profile },
  { label: "Notifications", path: paths.notifications },
  { label: "Settings", path: paths.settings },
  { label: "Help", path: paths.help },
];

const ALL = [...navigation.flatMap((item) => ("entries" in item ? item.entries : [item])), ...OTHERS];

/** Pages whose name contains the text; names that start with it come first. */
export function pagesFor(text: string, role: Role): ProductPage[] {
  const wanted = text.toLowerCase();
  const found = ALL.filter((page) => !("roles" in page) || page.roles?.includes(role) !== false).filter(({ label }) =>
    label.toLowerCase().includes(wanted),
  );
  const begins = ({ label }: ProductPage) => label.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((page) => !begins(page))].map(({ label, path }) => ({
    label,
    path,
  }));
}
