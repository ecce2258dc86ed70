// One figure with its link and its explanation, shown in a row with others.
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconInfoCircle, type Icon } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";
import { Link } from "react-router";
import classes from "./stat-card.module.css";
import type { Tone } from "./tone.ts";

export interface StatCardProps {
  label: string;
  /** A number, or a formatted value; a dash for a missing value. */
  value: number | string | null | undefined;
  icon: Icon;
  to?: string;
  /** A tooltip on an icon beside the label. */
  explanation?: string | null;
  /** The colour of the figure. */
  tone?: Tone | undefined;
  /** A short text beside the figure. */
  line?: ReactNode;
}

export function StatCard({ label, value, icon: StatIcon, to, explanation = null, tone, line }: StatCardProps) {
  const id = useId();
  return (
    <article className={classes.card} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 className={classes.label} id={id}>
          {to === undefined ? (
            label
          ) : (
            <Link to={to} className={classes.link}>
              {label}
            </Link>
          )}
        </h2>
        {explanation !== null && (
          <Tooltip
            label={explanation}
            multiline
            maw={320}
            events={{ hover: true, focus: true, touch: true }}
            openDelay={0}
          >
            <ActionIcon size="sm" aria-label={`How ${label} is calculated`} className={classes.info}>
              <IconInfoCircle size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <StatIcon className={classes.icon} size={20} stroke={1.6} aria-hidden />
      </div>
      <p className={classes.value}>
        <span style={tone === undefined ? undefined : { color: `var(--tone-${tone}-fg)` }}>
          {(typeof value === "number" ? value.toLocaleString() : value) ?? "–"}
        </span>
        {line !== undefined && <span className={classes.line}>{line}</span>}
      </p>
    </article>
  );
}

/** `isCompact`: one line per figure, for lists that should start high on the page. */
export function StatRow({ children, isCompact = false }: { children: ReactNode; isCompact?: boolean }) {
  return (
    <div className={classes.frame}>
      <div className={classes.row} data-compact={isCompact}>
        {children}
      </div>
    </div>
  );
}
