// The four figures above the tabs (VAL-07, VAL-60).
import { IconAlertOctagon, IconClockBolt, IconPercentage, IconUserShield } from "@tabler/icons-react";
import { FIGURES, type ReplyOf, type readValidationDashboard } from "@strongroom/contract";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { percent, toneOfCritical, toneOfRate } from "../figures.ts";

export function SummaryCards({ figures }: { figures: ReplyOf<typeof readValidationDashboard> | undefined }) {
  const statistics = figures?.validation_statistics;
  return (
    <StatRow>
      <StatCard
        label="Total Accounts"
        explanation={FIGURES.secrets}
        value={statistics?.total_accounts.toLocaleString() ?? null}
        icon={IconUserShield}
      />
      <StatCard
        label="Success Rate"
        explanation={FIGURES.successRate}
        value={percent(statistics?.success_rate ?? null)}
        tone={toneOfRate(statistics?.success_rate ?? null)}
        icon={IconPercentage}
      />
      <StatCard
        label="Active JIT Sessions"
        explanation={FIGURES.activeGrants}
        value={figures?.jit_health.active_sessions.toLocaleString() ?? null}
        icon={IconClockBolt}
      />
      <StatCard
        label="Critical Issues"
        explanation={FIGURES.criticalFailures}
        value={statistics?.critical_failures.toLocaleString() ?? null}
        tone={statistics === undefined ? undefined : toneOfCritical(statistics.critical_failures)}
        icon={IconAlertOctagon}
      />
    </StatRow>
  );
}
