// One JIT session with its first three accounts and the number of others (VAL-27 to VAL-30, VAL-39).
import { IconClockBolt, IconListDetails } from "@tabler/icons-react";
import type { JitAccount, JitSessionValidation } from "@strongroom/contract";
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, duration, nearTime } from "#shared/format/time.ts";
import { capitalised, counted } from "#shared/format/text.ts";
import { CardButton, ItemCard } from "#shared/ui/item-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import classes from "./jit-tab.module.css";
import { ValidateButton } from "../bulk/validate-button.tsx";

/** VAL-28. */
const FIRST = 3;

const HEALTH_TONES: Record<JitSessionValidation["overall_health"], Tone> = {
  healthy: "success",
  degraded: "warning",
  critical: "danger",
};

export function HealthTag({ health }: { health: JitSessionValidation["overall_health"] }) {
  return <Tag tone={HEALTH_TONES[health]}>{capitalised(health)}</Tag>;
}

export interface JitSessionCardProps {
  session: JitSessionValidation;
  onOpen: () => void;
}

export function JitSessionCard({ session, onOpen }: JitSessionCardProps) {
  const now = useNow();
  const more = session.accounts.length - FIRST;
  const left = Math.max(0, (Date.parse(session.expires_at) - now) / 1000);
  return (
    <ItemCard
      icon={<IconClockBolt size={18} stroke={1.6} aria-hidden />}
      title={session.session_name}
      subtitle={counted(session.accounts.length, "account")}
      isAlarming={session.overall_health === "critical"}
      badges={<HealthTag health={session.overall_health} />}
      facts={[
        { name: "Access by", value: session.requester },
        { name: "Ends", value: nearTime(session.expires_at, now), title: absoluteTime(session.expires_at) },
        { name: "Remaining", value: duration(left) },
      ]}
      note={
        <ul className={classes.accounts} aria-label={`Accounts of ${session.session_name}`}>
          {session.accounts.slice(0, FIRST).map((account) => (
            <Account key={account.account_id} account={account} />
          ))}
          {more > 0 && <li className={classes.more}>+{more} more</li>}
        </ul>
      }
      actions={
        <CardButton
          label="Details"
          name={`Details of ${session.session_name}`}
          icon={IconListDetails}
          onClick={onOpen}
        />
      }
    />
  );
}

function Account({ account }: { account: JitAccount }) {
  return (
    <li className={classes.account}>
      <span className={classes.name} title={account.account_name}>
        {account.account_name}
      </span>
      <span className={classes.end}>
        <VerificationBadge status={account.validation_status} />
        {account.validation_status !== "verified" && account.may_validate && <ValidateButton of={account} />}
      </span>
    </li>
  );
}
