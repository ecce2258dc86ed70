// The four figures above the accounts (ACC-04, ACC-05).
import { IconCircleCheck, IconRefreshAlert, IconShieldCheck, IconUserShield } from "@tabler/icons-react";
import type { ReplyOf, accountStatistics } from "@strongroom/contract";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";

type AccountFigures = ReplyOf<typeof accountStatistics>;

/** ACC-05. What nobody has validated yet is neither, and keeps "all" from being said. */
const validityLine = ({ total, validation_valid: valid, validation_invalid: invalid }: AccountFigures): string =>
  invalid === 0 && valid === total ? "All validated" : `${invalid.toLocaleString()} invalid`;

const text = (figure: number | undefined): string | null => figure?.toLocaleString() ?? null;

/** A figure that the server did not give is a dash. */
export function AccountStatistics({ figures }: { figures: AccountFigures | undefined }) {
  return (
    <StatRow>
      <StatCard label="Total Accounts" value={text(figures?.total)} icon={IconUserShield} />
      <StatCard label="Active Accounts" value={text(figures?.active)} icon={IconCircleCheck} />
      <StatCard label="Rotation Required" value={text(figures?.requiring_rotation)} icon={IconRefreshAlert} />
      <StatCard
        label="Valid Credentials"
        value={text(figures?.validation_valid)}
        icon={IconShieldCheck}
        line={figures && validityLine(figures)}
      />
    </StatRow>
  );
}
