// The number of secrets by verification status, as one bar with a legend.
import { VALIDATION_OF, VERIFICATION_LABELS, VERIFICATION_STATUSES } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import { Legend, type LegendPart } from "#shared/ui/legend.tsx";
import { paths } from "#shared/paths.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { VERIFICATION_COLORS, colorVariable } from "#shared/ui/verification-badge.tsx";
import classes from "./verification-card.module.css";
import type { VerificationFigures } from "./verification-figures.ts";

/** The legend shows misconfigured secrets only when there are any, because they are rare. */
const partsOf = ({ counts }: VerificationFigures): LegendPart[] =>
  VERIFICATION_STATUSES.filter((status) => status !== "misconfigured" || counts[status] > 0).map((status) => ({
    label: VERIFICATION_LABELS[status],
    count: counts[status],
    to: paths.secretsWith({ statuses: [VALIDATION_OF[status]] }),
    color: colorVariable(VERIFICATION_COLORS[status]),
  }));

export function VerificationCard({ figures }: { figures: VerificationFigures }) {
  return (
    <SectionCard title="Verification" description={sentence(figures)}>
      {/* The legend below gives the same information to screen readers. */}
      <div className={classes.bar} aria-hidden>
        {partsOf(figures).map(
          ({ label, count, color }) =>
            count > 0 && <span key={label} style={{ flexGrow: count, backgroundColor: color }} />,
        )}
      </div>
      <div className={classes.legend}>
        <Legend parts={partsOf(figures)} />
      </div>
    </SectionCard>
  );
}

function sentence(figures: VerificationFigures): string {
  if (figures.source === "none") return "The server could not be reached, so these zeros are placeholders.";
  if (figures.attemptsLastDay === null) return counted(figures.total, "account");
  if (figures.successRate === null) return "No verification in the last 24 hours";
  return `${figures.successRate.toLocaleString(undefined, { maximumFractionDigits: 1 })}% of ${counted(figures.attemptsLastDay, "verification")} in the last 24 hours succeeded`;
}
