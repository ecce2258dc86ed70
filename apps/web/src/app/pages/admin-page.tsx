// The Admin Console, with the tabs of the features that it administers.
import { Stack } from "@mantine/core";
import { lazy, type ComponentType } from "react";
import { AdminPage } from "#features/admin/admin-page.tsx";
import type { ConsoleTab } from "#features/admin/console-tabs.ts";
import { AdminResetsCard } from "#features/admin/users/admin-resets-card.tsx";
import { PasswordResetsCard } from "#features/admin/users/password-resets-card.tsx";
import { RoleRequestsCard } from "#features/admin/users/role-requests-card.tsx";
import { UsersCard } from "#features/admin/users/users-card.tsx";

const PersonTokensDialog = lazy(() => import("#features/tokens/person-tokens-dialog.tsx"));

const CONTENT: Record<ConsoleTab, ComponentType> = {
  users: UsersTab,
  "role-requests": RoleRequestsCard,
  resets: ResetsTab,
  machines: lazy(async () => ({
    default: (await import("#features/tokens/machines/machine-identities.tsx")).MachineIdentities,
  })),
  policy: lazy(() => import("#features/admin/sign-in-policy/sign-in-policy-card.tsx")),
  providers: lazy(async () => ({
    default: (await import("#features/identity-providers/identity-providers-card.tsx")).IdentityProvidersCard,
  })),
  keys: lazy(() => import("#features/admin/system/keys-tab.tsx")),
  jobs: lazy(() => import("#features/admin/system/jobs-tab.tsx")),
  system: lazy(() => import("#features/admin/system/system-tab.tsx")),
  backups: lazy(() => import("#features/admin/system/backups-tab.tsx")),
  "restore-review": lazy(() => import("#features/admin/system/restore-review-tab.tsx")),
};

export default function Admin() {
  return <AdminPage content={CONTENT} />;
}

function UsersTab() {
  return <UsersCard TokensDialog={PersonTokensDialog} />;
}

function ResetsTab() {
  return (
    <Stack gap="md">
      <AdminResetsCard />
      <PasswordResetsCard />
    </Stack>
  );
}
