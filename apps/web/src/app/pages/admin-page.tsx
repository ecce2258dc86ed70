// The Admin Console, with the tabs of the features that it administers.
import { Stack, Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, type ComponentType } from "react";
import { Navigate, useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { paths } from "#shared/paths.ts";
import { useUser } from "#shared/session/session-store.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import strip from "#shared/ui/scroll-strip.module.css";
import { EmptyState } from "#shared/ui/states.tsx";
import { useTabInView } from "#shared/ui/use-tab-in-view.ts";
import classes from "#shared/ui/admin-console.module.css";
import { AdminResetsCard } from "#features/users/people/admin-resets-card.tsx";
import { PasswordResetsCard } from "#features/users/people/password-resets-card.tsx";
import { RoleRequestsCard } from "#features/users/people/role-requests-card.tsx";
import { UsersCard } from "#features/users/people/users-card.tsx";
import { adminResets, pendingResets, pendingUsers, roleRequests } from "#features/users/users.queries.ts";

const CONSOLE_TABS = [
  "users",
  "role-requests",
  "resets",
  "machines",
  "policy",
  "providers",
  "keys",
  "gateways",
  "ssh-ca",
  "jobs",
  "system",
  "backups",
  "restore-review",
] as const;

export type ConsoleTab = (typeof CONSOLE_TABS)[number];

const TAB_LABELS: Record<ConsoleTab, string> = {
  users: "Users",
  "role-requests": "Sign-ups",
  resets: "Pending Resets",
  machines: "Machine Identities",
  policy: "Sign-In Policy",
  providers: "Sign-In Providers",
  keys: "Seal & Keys",
  gateways: "Session Gateways",
  "ssh-ca": "SSH CA",
  jobs: "Jobs",
  system: "System",
  backups: "Backups",
  "restore-review": "Restore Review",
};

const PersonTokensDialog = lazy(() => import("#features/tokens/person-tokens-dialog.tsx"));

const CONTENT: Record<ConsoleTab, ComponentType> = {
  users: UsersTab,
  "role-requests": RoleRequestsCard,
  resets: ResetsTab,
  machines: lazy(async () => ({
    default: (await import("#features/tokens/machines/machine-identities.tsx")).MachineIdentities,
  })),
  policy: lazy(() => import("#features/users/policy/sign-in-policy-card.tsx")),
  providers: lazy(async () => ({
    default: (await import("#features/identity-providers/identity-providers-card.tsx")).IdentityProvidersCard,
  })),
  keys: lazy(() => import("#features/admin/system/keys-tab.tsx")),
  gateways: lazy(() => import("#features/admin/system/gateways-tab.tsx")),
  "ssh-ca": lazy(() => import("#features/admin/system/ssh-ca-tab.tsx")),
  jobs: lazy(() => import("#features/admin/system/jobs-tab.tsx")),
  system: lazy(() => import("#features/admin/system/system-tab.tsx")),
  backups: lazy(() => import("#features/admin/system/backups-tab.tsx")),
  "restore-review": lazy(() => import("#features/admin/system/restore-review-tab.tsx")),
};

export default function AdminPage() {
  const { role } = useUser();
  if (role === "manager") return <Navigate to={paths.adminGroups} replace />;
  return (
    <>
      <PageHeader title="Admin Console" subtitle="Manage users, subscription plans, system settings" />
      {role === "admin" ? (
        <Console />
      ) : (
        <EmptyState icon={IconLock} title="Only administrators can manage users and settings." />
      )}
    </>
  );
}

function Console() {
  const [params, setParams] = useSearchParams();
  const isWide = useMediaQuery("(min-width: 62em)") ?? true;
  const tab = choiceOf(params, "tab", CONSOLE_TABS);
  const counts = useWaiting();
  const Content = CONTENT[tab];
  const list = useTabInView(tab, isWide);
  return (
    <Tabs
      value={tab}
      onChange={(next) => setParams(next === null || next === "users" ? {} : { tab: next })}
      orientation={isWide ? "vertical" : "horizontal"}
      variant={isWide ? "pills" : "default"}
      keepMounted={false}
      classNames={{
        root: classes.console ?? "",
        list: `${classes.tabs} ${strip.strip}`,
        tab: `${classes.tab} ${strip.tab}`,
        tabLabel: classes.tabLabel ?? "",
      }}
    >
      <Tabs.List ref={list} aria-label="Admin Console">
        {CONSOLE_TABS.map((each) => (
          <Tabs.Tab key={each} value={each} data-tab={each} rightSection={<Waiting count={counts[each] ?? 0} />}>
            {TAB_LABELS[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} className={classes.panel}>
        <Suspense fallback={<SectionLoading />}>
          <Content />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

/** The number of pending decisions per tab. */
function useWaiting(): Partial<Record<ConsoleTab, number>> {
  const requests = useQuery(roleRequests);
  const pending = useQuery(pendingUsers);
  const resets = useQuery(pendingResets);
  const ofAdmins = useQuery(adminResets);
  const asking = requests.data?.data.filter(({ status }) => status !== "pending") ?? [];
  const waiting = (resets.data?.data.length ?? 0) + (ofAdmins.data?.data.length ?? 0);
  return { "role-requests": asking.length + (pending.data?.data.length ?? 0), resets: waiting };
}

function Waiting({ count }: { count: number }) {
  return count === 0 ? null : <span className={classes.count}>{count}</span>;
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
