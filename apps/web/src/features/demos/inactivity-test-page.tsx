// The inactivity-logout test page (DEMO-02 to DEMO-06): the app's own timer, with short times in test mode.
import { Button, Group, Stack, Switch } from "@mantine/core";
import { useRef, useState } from "react";
import { countdown } from "#shared/format/time.ts";
import { CHECK_EVERY_MS, type InactivityLimits } from "#shared/session/inactivity-clock.ts";
import { TOAST_BEFORE_MS } from "#shared/session/session-limits.ts";
import { SessionSecurityCard } from "#shared/session/session-security-card.tsx";
import { DEFAULT_SETTINGS, useSessionSettings, type SessionSettings } from "#shared/session/session-settings.ts";
import { useSession } from "#shared/session/session-store.ts";
import { SessionTimeoutDialog } from "#shared/session/session-timeout-dialog.tsx";
import { signOut } from "#shared/session/sign-out.ts";
import { useInactivity } from "#shared/session/use-inactivity.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { DemoLayout } from "./demo-layout.tsx";

const MINUTE = 60_000;
/** DEMO-05: 2 minutes, and 30 seconds. */
export const TEST_LIMITS: InactivityLimits = { timeoutMs: 2 * MINUTE, warningMs: MINUTE / 2, toastMs: TOAST_BEFORE_MS };

/** DEMO-06: the session settings, else 30 and 5 minutes. */
export const usualLimits = ({ timeout, warningTime }: SessionSettings): InactivityLimits => ({
  timeoutMs: timeout * MINUTE,
  warningMs: warningTime * MINUTE,
  toastMs: TOAST_BEFORE_MS,
});

function Clock({
  limits,
  isSignedIn,
  onEnd,
}: {
  limits: InactivityLimits;
  isSignedIn: boolean;
  onEnd: (text: string) => void;
}) {
  // A timer local to this page: a test must neither keep the real session alive nor end it early in another tab.
  const [startedAt] = useState(Date.now);
  const last = useRef(startedAt);
  const [isEnded, setIsEnded] = useState(false);
  const [isSigningOut, setIsSigningOut] = useState(false);

  const end = async (why: string) => {
    setIsEnded(true);
    setIsSigningOut(true);
    if (isSignedIn) await signOut("inactivity");
    setIsSigningOut(false);
    onEnd(isSignedIn ? `${why}: you were signed out.` : `${why}: there was no session to end.`);
  };

  const { inactivity, isWarned, stay } = useInactivity({
    limits,
    lastActivity: () => last.current,
    onActivity: () => {
      last.current = Date.now();
    },
    onToast: () => undefined,
    onExpire: () => void end("Timeout reached"),
  });

  const state = isEnded ? "Ended" : isWarned ? "Warning" : "Active";
  return (
    <>
      <Facts
        facts={[
          { name: "Timeout", value: `${limits.timeoutMs / MINUTE} minutes` },
          {
            name: "Warning before",
            value:
              limits.warningMs < MINUTE ? `${limits.warningMs / 1000} seconds` : `${limits.warningMs / MINUTE} minutes`,
          },
          { name: "Checked every", value: `${CHECK_EVERY_MS / 1000} second` },
          { name: "State", value: <Tag tone={state === "Active" ? "success" : "warning"}>{state}</Tag> },
          ...(isWarned ? [{ name: "Time left", value: countdown(inactivity.remainingMs) }] : []),
        ]}
      />
      <SessionTimeoutDialog
        opened={isWarned && !isEnded}
        remainingMs={inactivity.remainingMs}
        isSigningOut={isSigningOut}
        onStay={stay}
        onLogout={() => void end("Logout Now was selected")}
      />
    </>
  );
}

export default function InactivityTestPage() {
  const { status } = useSession();
  const settings = useSessionSettings() ?? DEFAULT_SETTINGS;
  const [isTest, setIsTest] = useState(true);
  const [run, setRun] = useState(1);
  const [ending, setEnding] = useState<string | null>(null);
  const restart = () => {
    setEnding(null);
    setRun((count) => count + 1);
  };

  return (
    <DemoLayout
      title="Inactivity logout test"
      subtitle="Leave the mouse and keyboard idle to see the warning before the logout."
    >
      <Stack gap="md">
        <SectionCard title="Clock" description="Runs on this page only.">
          <Stack gap="md">
            <Switch
              label="Test mode"
              description="Timeout after 2 minutes, warning 30 seconds before. When off, your session settings apply."
              checked={isTest}
              onChange={(event) => {
                setIsTest(event.currentTarget.checked);
                restart();
              }}
            />
            <Clock
              key={run}
              limits={isTest ? TEST_LIMITS : usualLimits(settings)}
              isSignedIn={status === "signed-in"}
              onEnd={setEnding}
            />
            {ending !== null && (
              <Group gap="sm">
                <span role="status">{ending}</span>
                <Button variant="default" onClick={restart}>
                  Start again
                </Button>
              </Group>
            )}
          </Stack>
        </SectionCard>
        <SessionSecurityCard />
      </Stack>
    </DemoLayout>
  );
}
