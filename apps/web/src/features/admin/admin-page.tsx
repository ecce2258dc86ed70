// The Admin Console: the people, what waits for a decision, and the rules of signing in.
import { Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { AdminSections } from "#app/shell/admin-sections.tsx";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import classes from "./admin-page.module.css";
import { PasswordResetsCard } from "./password-resets-card.tsx";
import { RoleRequestsCard } from "./role-requests-card.tsx";
import { SealCard } from "./seal-card.tsx";
import { SignInPolicyCard } from "./sign-in-policy-card.tsx";
import { UsersCard } from "./users-card.tsx";

export default function AdminPage() {
  const { role } = useUser();
  return (
    <>
      <AdminSections />
      <PageHeader title="Admin Console" subtitle="Manage users, subscription plans, system settings." />
      {role === "admin" ? (
        <Console />
      ) : (
        <EmptyState icon={IconLock} title="Only administrators can manage users and settings." />
      )}
    </>
  );
}

function Console() {
  return (
    <Stack gap="md">
      <div className={classes.pair}>
        <RoleRequestsCard />
        <PasswordResetsCard />
      </div>
      <UsersCard />
      <div className={classes.settings}>
        <SignInPolicyCard />
        <SealCard />
      </div>
    </Stack>
  );
}
