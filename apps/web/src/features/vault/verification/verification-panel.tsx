// "Verification Status": the status of the secret, since when, the reason for a failure, and "Verify Now" (VAULT-46).
import { Button } from "@mantine/core";
import { IconShieldCheck } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { useIsPending } from "#shared/session/pending-account.ts";
import { ConnectorName } from "#shared/ui/connector-name.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toneStyle } from "#shared/ui/tone.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { useVerify } from "./use-verify.ts";
import type { VerifyPlace } from "./verify-credential.ts";
import classes from "./verification-panel.module.css";

export interface VerificationPanelProps {
  credential: Credential;
  place: VerifyPlace;
}

export function VerificationPanel({ credential, place }: VerificationPanelProps) {
  const isPending = useIsPending();
  const { isVerifying, start } = useVerify(credential, place);
  return (
    <SectionCard
      title="Verification Status"
      actions={
        <VerificationBadge
          status={credential.verification_status}
          isHostKeyChanged={credential.host_key_alarm !== null}
        />
      }
    >
      <Facts
        facts={[
          { name: "Last verified", value: <RelativeTime moment={credential.verified_at} /> },
          { name: "Last attempt", value: <RelativeTime moment={credential.last_verification_attempt} /> },
          { name: "Connector", value: <ConnectorName connector={credential.connector} /> },
        ]}
      />
      {credential.verification_error !== null && (
        <p className={classes.error} style={toneStyle("danger")}>
          {credential.verification_error}
        </p>
      )}
      {isPending ? (
        <p className={classes.pending}>Verification starts after an administrator activates your account.</p>
      ) : (
        <Button
          className={classes.button}
          fullWidth
          variant="light"
          leftSection={<IconShieldCheck size={16} aria-hidden />}
          onClick={start}
          loading={isVerifying}
        >
          Verify Now
        </Button>
      )}
    </SectionCard>
  );
}
