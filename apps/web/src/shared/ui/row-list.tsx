// Things below each other: each with its name, what is to be known of it in smaller words, and what can be done with it.
import type { ReactNode } from "react";
import classes from "./row-list.module.css";

export interface RowListProps {
  label?: string;
  children: ReactNode;
}

export function RowList({ label, children }: RowListProps) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}

export interface RowProps {
  /** Of 18 pixels. */
  icon?: ReactNode;
  /** With the tags that belong to it. */
  name: ReactNode;
  /** It is of no use any more. */
  isOver?: boolean;
  /** Beside the words, below them where there is no room. */
  actions?: ReactNode;
  /** `RowDetail`s. */
  children?: ReactNode;
}

export function Row({ icon, name, isOver = false, actions, children }: RowProps) {
  return (
    <li className={classes.row} data-over={isOver}>
      {icon}
      <div className={classes.body}>
        <div className={classes.text}>
          <p className={classes.name}>{name}</p>
          {children}
        </div>
        {actions != null && actions !== false && <div className={classes.actions}>{actions}</div>}
      </div>
    </li>
  );
}

export const RowDetail = ({ title, children }: { title?: string; children: ReactNode }) => (
  <p className={classes.detail} title={title}>
    {children}
  </p>
);

/** Where a list in a card is empty and no more has to be said about it. */
export const NoRows = ({ children }: { children: ReactNode }) => <p className={classes.none}>{children}</p>;
