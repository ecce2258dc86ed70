// The four figures above the accounts (ACC-04, ACC-05).
import { IconCircleCheck, IconRefreshAlert, IconShieldCheck, IconUserShield } from "@tabler/icons-react";
import { FIGURES, type ReplyOf, type accountStatistics } from "@strongroom/contract";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";

type AccountFigures = ReplyOf<typeof accountStatistics>;

/**
 * ACC-05. An unreachable or misconfigured account counts as neither valid nor invalid, and prevents "All validated".
 */
function validityLine({
  total,
  validation_valid: valid,
  validation_invalid: invalid,
  ...others
}: AccountFigures): string {
  if (valid === total) return "All validated";
  const unreachable = others.validation_unreachable + others.validation_misconfigured;
  const text = `${invalid.toLocaleString()} invalid`;
  return unreachable === 0 ? text : `${text}, ${unreachable.toLocaleString()} not checked`;
}

/** Shows a dash for a missing figure. */
export function AccountStatistics({ figures }: { figures: AccountFigures | undefined }) {
  return (
    <StatRow>
      <StatCard label="Total Accounts" explanation={FIGURES.accounts} value={figures?.total} icon={IconUserShield} />
      <StatCard
        label="Active Accounts"
        explanation={FIGURES.activeAccounts}
        value={figures?.active}
        icon={IconCircleCheck}
      />
      <StatCard
        label="Rotation Required"
        explanation={FIGURES.rotationRequired}
        value={figures?.requiring_rotation}
        icon={IconRefreshAlert}
      />
      <StatCard
        label="Valid Credentials"
        explanation={FIGURES.validAccounts}
        value={figures?.validation_valid}
        icon={IconShieldCheck}
        line={figures && validityLine(figures)}
      />
    </StatRow>
  );
}
