// "Details" of a JIT session: every account with its validation details (VAL-29, VAL-40).
import { Anchor } from "@mantine/core";
import type { JitAccount, JitSessionValidation } from "@strongroom/contract";
import { Link } from "react-router";
import { Facts } from "#shared/ui/facts.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toneStyle } from "#shared/ui/tone.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { measuredTime } from "../figures.ts";
import { HealthTag } from "./jit-session-card.tsx";
import classes from "./jit-tab.module.css";
import { secretPath } from "../accounts/secret-path.ts";
import { systemLabel } from "#shared/runs/system-label.ts";
import { ValidateButton } from "../bulk/validate-button.tsx";

export interface JitSessionDialogProps {
  /** Null closes the dialog. */
  session: JitSessionValidation | null;
  onClose: () => void;
}

export function JitSessionDialog({ session, onClose }: JitSessionDialogProps) {
  return (
    <Modal opened={session !== null} onClose={onClose} title={session?.session_name ?? "Session"} size="lg" isShort>
      {session !== null && (
        <>
          <div className={classes.head}>
            <span>Access by {session.requester}</span>
            <HealthTag health={session.overall_health} />
          </div>
          {session.accounts.map((account) => (
            <Account key={account.account_id} account={account} />
          ))}
        </>
      )}
    </Modal>
  );
}

function Account({ account }: { account: JitAccount }) {
  return (
    <section className={classes.detail} aria-label={account.account_name}>
      <div className={classes.head}>
        <h3 className={classes.title}>
          <Anchor component={Link} to={secretPath(account)} c="inherit" inherit>
            {account.account_name}
          </Anchor>
        </h3>
        <span className={classes.end}>
          {account.is_critical && <Tag tone="danger">Critical</Tag>}
          <VerificationBadge status={account.validation_status} />
          {account.validation_status !== "verified" && account.may_validate && <ValidateButton of={account} />}
        </span>
      </div>
      <Facts
        facts={[
          { name: "Host", value: account.hostname ?? "Not given" },
          { name: "User", value: account.username ?? "Not given" },
          { name: "System", value: systemLabel(account.system_type) },
          { name: "Method", value: systemLabel(account.verification_method) },
          { name: "Last validated", value: <RelativeTime moment={account.last_validated_at} /> },
          { name: "Response time", value: measuredTime(account.response_time_ms) ?? "Not measured" },
        ]}
      />
      {account.error_message !== null && (
        <p className={classes.error} style={toneStyle("danger")}>
          {account.error_message}
        </p>
      )}
    </section>
  );
}
