// The user's profile: personal data, password and factors, sessions, API tokens, and a link to the settings.
import { Button, Group, Stack } from "@mantine/core";
import { IconBell, IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { FactorsCard } from "#features/factors/factors-card.tsx";
import { ChangePasswordCard } from "#features/sign-in/password/change-password-card.tsx";
import { OwnSessionsCard } from "#features/sign-in/sessions/own-sessions-card.tsx";
import { SshKeysCard } from "#features/ssh-keys/ssh-keys-card.tsx";
import { TokensCard } from "#features/tokens/tokens-card.tsx";
import { paths } from "#shared/paths.ts";
import { useIsPending } from "#shared/session/pending-account.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ownProfile } from "#features/sign-in/profile/profile.queries.ts";
import { ProfileCard } from "#features/sign-in/profile/profile-card.tsx";

export default function ProfilePage() {
  const isPending = useIsPending();
  const { data: profile } = useQuery(ownProfile);
  return (
    <>
      <PageHeader title="Profile" subtitle="Your details, sign-in methods and sessions." />
      <Stack gap="md" maw="52rem">
        <ProfileCard />
        {/* A user of an identity provider has no Strongroom password to change. */}
        {profile?.has_password !== false && <ChangePasswordCard />}
        <FactorsCard />
        <OwnSessionsCard />
        {!isPending && <SshKeysCard />}
        {!isPending && <TokensCard />}
        <SectionCard title="Preferences" description="Which notifications you get and what the dashboard shows.">
          <Group gap="xs">
            <Button
              component={Link}
              to={paths.settingsAt("notifications")}
              size="compact-md"
              variant="default"
              leftSection={<IconBell size={16} aria-hidden />}
            >
              Notification Preferences
            </Button>
            <Button
              component={Link}
              to={paths.settingsAt("dashboard")}
              size="compact-md"
              variant="default"
              leftSection={<IconSettings size={16} aria-hidden />}
            >
              Dashboard Preferences
            </Button>
          </Group>
        </SectionCard>
      </Stack>
    </>
  );
}
