// The pages of the product and the roles that can open them.
import type { Role } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";
import { navigationFor } from "#shared/navigation.ts";

export interface ProductPage {
  label: string;
  path: string;
}

const OTHERS: readonly ProductPage[] = [
  { label: "Profile", path: paths.profile },
  { label: "Notifications", path: paths.notifications },
  { label: "Settings", path: paths.settings },
  { label: "Help", path: paths.help },
];
/** Users can read platforms, but the sidebar offers the page only to those who manage them. */
const OF_USERS: readonly ProductPage[] = [{ label: "Platforms", path: paths.adminPlatforms }];

function pagesOf(role: Role): readonly ProductPage[] {
  const entries = navigationFor(role).flatMap((item) => ("entries" in item ? item.entries : [item]));
  return [
    ...entries.flatMap((entry) => [entry, ...(entry.pages ?? [])]),
    ...(role === "user" ? OF_USERS : []),
    ...OTHERS,
  ];
}

/** Pages whose name contains the text; names that start with it come first. */
export function pagesFor(text: string, role: Role): ProductPage[] {
  const wanted = text.toLowerCase();
  const found = pagesOf(role).filter(({ label }) => label.toLowerCase().includes(wanted));
  const begins = ({ label }: ProductPage) => label.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((page) => !begins(page))].map(({ label, path }) => ({
    label,
    path,
  }));
}
