// The legend of a bar or ring chart, with counts.
import { Link } from "react-router";
import classes from "./legend.module.css";

export interface LegendPart {
  label: string;
  count: number;
  /** A CSS colour. */
  color: string;
  /** The list of what is counted. */
  to?: string;
}

export function Legend({ parts }: { parts: readonly LegendPart[] }) {
  return (
    <dl className={classes.legend}>
      {parts.map(({ label, count, color, to }) => (
        <div key={label} className={classes.part}>
          <span className={classes.dot} style={{ backgroundColor: color }} aria-hidden />
          <dt>{label}</dt>
          <dd>
            {to === undefined ? (
              count.toLocaleString()
            ) : (
              <Link to={to} aria-label={`${label}: ${count.toLocaleString()}`}>
                {count.toLocaleString()}
              </Link>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
