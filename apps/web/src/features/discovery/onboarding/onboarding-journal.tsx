// The onboarding of one discovered account: its state, its journal, and Undo.
import { Button } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import type { DiscoveredAccount } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { absoluteTime } from "#shared/format/time.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { ONBOARDING_BADGES } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { onboarding, onboardingUndo } from "../discovery.queries.ts";

export function OnboardingJournal({ of }: { of: NonNullable<DiscoveredAccount["onboarding"]> }) {
  const [isUndoing, setIsUndoing] = useState(false);
  const query = useQuery(onboarding(of.id));
  const client = useQueryClient();
  return (
    <section aria-label="Onboarding">
      <h3 className={classes.heading}>Onboarding</h3>
      <Loaded query={query}>
        {({ journal, can_undo, account_name }) => (
          <>
            <Facts
              facts={journal.map(({ state, message, at }) => ({
                name: `${absoluteTime(at)}: ${ONBOARDING_BADGES[state].label}`,
                value: message,
              }))}
            />
            {can_undo && (
              <Button
                mt="sm"
                variant="default"
                leftSection={<IconArrowBackUp size={16} aria-hidden />}
                onClick={() => setIsUndoing(true)}
              >
                Undo Onboarding
              </Button>
            )}
            <ConfirmActionDialog
              opened={isUndoing}
              title="Undo Onboarding"
              confirmLabel="Undo Onboarding"
              mutation={onboardingUndo(client, of.id)}
              done="Onboarding undone"
              failed="Failed to undo the onboarding"
              onClose={() => setIsUndoing(false)}
              isOnTop
            >
              The account <strong>{account_name}</strong> is removed from the safe and needs a decision again.
            </ConfirmActionDialog>
          </>
        )}
      </Loaded>
    </section>
  );
}
