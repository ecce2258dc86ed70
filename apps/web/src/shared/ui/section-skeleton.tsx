// The shape of a section while it loads.
import { Skeleton } from "@mantine/core";
import classes from "./section-skeleton.module.css";

export interface SectionSkeletonProps {
  /** What loads: "Loading hosts...". */
  text?: string | undefined;
  rows?: number;
}

export function SectionSkeleton({ text = "Loading...", rows = 3 }: SectionSkeletonProps) {
  return (
    <div className={classes.section} role="status" aria-live="polite" data-loading>
      <p className={classes.text}>{text}</p>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={classes.row} aria-hidden>
          <Skeleton height={12} width={`${40 + ((index * 23) % 35)}%`} />
          <Skeleton height={10} width={`${60 + ((index * 31) % 35)}%`} />
        </div>
      ))}
    </div>
  );
}
