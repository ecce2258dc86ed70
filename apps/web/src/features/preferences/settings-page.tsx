// Settings: session security, appearance, dashboard and notifications.
import { currentSession } from "@strongroom/contract";
import { Stack, SegmentedControl, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "react-router";
import { queryOf } from "#shared/api/query.ts";
import { DEFAULT_LIMITS, limitsFor } from "#shared/session/session-limits.ts";
import { SessionSecurityCard } from "#shared/session/session-security-card.tsx";
import { DEFAULT_SETTINGS, useSessionSettings } from "#shared/session/session-settings.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { DashboardCard } from "./dashboard-card.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { NotificationsCard } from "./notifications-card.tsx";
import { TimeFormatCard } from "./time-format-card.tsx";

const SCHEMES: readonly { value: MantineColorScheme; label: string }[] = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

const MINUTE = 60_000;

/** Describes the effective limits; the tighter of the user's and the installation's wins. */
function useLimitsNote(): string {
  const { role } = useUser();
  const personal = useSessionSettings();
  const { data } = useQuery(queryOf(currentSession));
  const limits = limitsFor(data?.limits ?? DEFAULT_LIMITS, role, personal);
  const timeout = limits.timeoutMs / MINUTE;
  const isTighter = timeout < (personal?.timeout ?? DEFAULT_SETTINGS.timeout);
  const applies = `You are signed out after ${timeout} minutes without activity, with a warning ${limits.warningMs / MINUTE} minutes before.`;
  return isTighter ? `${applies} This installation's limit for your role is stricter than your setting.` : applies;
}

/** A link such as `/settings#dashboard` scrolls to the card. */
function useCardInAddress(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== "") document.getElementById(hash.slice(1))?.scrollIntoView({ block: "start" });
  }, [hash]);
}

export default function SettingsPage() {
  const note = useLimitsNote();
  useCardInAddress();
  return (
    <>
      <PageHeader title="Settings" subtitle="Your session, appearance, notifications and dashboard." />
      <Stack gap="md" maw="52rem">
        <SessionSecurityCard note={note} />
        <AppearanceCard />
        <TimeFormatCard />
        <div id="notifications">
          <NotificationsCard />
        </div>
        <div id="dashboard">
          <DashboardCard />
        </div>
      </Stack>
    </>
  );
}

function AppearanceCard() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SectionCard title="Appearance" description="Saved in this browser.">
      <SegmentedControl
        aria-label="Colour scheme"
        data={[...SCHEMES]}
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme)}
      />
    </SectionCard>
  );
}
