// How many secrets are known to work, as one bar and its legend.
import { counted } from "#shared/format/text.ts";
import { Legend, type LegendPart } from "#shared/ui/legend.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import classes from "./verification-card.module.css";
import type { VerificationFigures } from "./verification-figures.ts";

const partsOf = (figures: VerificationFigures): LegendPart[] => [
  { label: "Verified", count: figures.verified, color: "var(--mantine-color-green-6)" },
  { label: "Failed", count: figures.failed, color: "var(--mantine-color-red-6)" },
  { label: "Pending", count: figures.pending, color: "var(--mantine-color-brass-5)" },
  { label: "Never verified", count: figures.neverVerified, color: "var(--mantine-color-gray-5)" },
];

export function VerificationCard({ figures }: { figures: VerificationFigures }) {
  return (
    <SectionCard title="Verification" description={sentence(figures)}>
      {/* The legend below says the same to those who do not see it. */}
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
  if (figures.source === "none") return "The server could not be reached: these zeros are not measured.";
  if (figures.attemptsLastDay === null) return counted(figures.total, "account");
  if (figures.successRate === null) return "No verification in the last 24 hours";
  return `${figures.successRate.toLocaleString(undefined, { maximumFractionDigits: 1 })}% of ${counted(figures.attemptsLastDay, "verification")} in the last 24 hours succeeded`;
}
