// The legend of a bar or ring chart, with counts.
import classes from "./legend.module.css";

export interface LegendPart {
  label: string;
  count: number;
  /** A CSS colour. */
  color: string;
}

export function Legend({ parts }: { parts: readonly LegendPart[] }) {
  return (
    <dl className={classes.legend}>
      {parts.map(({ label, count, color }) => (
        <div key={label} className={classes.part}>
          <span className={classes.dot} style={{ backgroundColor: color }} aria-hidden />
          <dt>{label}</dt>
          <dd>{count.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  );
}
