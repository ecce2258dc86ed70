// One's own profile: who one is here, the password, the open sessions.
import { Stack } from "@mantine/core";
import { capitalised } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ChangePasswordCard } from "./change-password-card.tsx";
import { OwnSessionsCard } from "./own-sessions-card.tsx";

export default function ProfilePage() {
  const user = useUser();
  return (
    <>
      <PageHeader title="Profile" subtitle="Who you are here, and where you are signed in." />
      <Stack gap="md" maw="52rem">
        <SectionCard
          title="You"
          description="An administrator changes your role; a new role takes effect at your next sign-in."
        >
          <Facts
            facts={[
              { name: "Name", value: user.name },
              { name: "Email", value: user.email },
              { name: "Role", value: capitalised(user.role) },
            ]}
          />
        </SectionCard>
        <ChangePasswordCard />
        <OwnSessionsCard />
      </Stack>
    </>
  );
}
