// A list of rows, each with a name, details and actions.
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
  /** 18 pixels in size. */
  icon?: ReactNode;
  /** The name with its tags. */
  name: ReactNode;
  /** Greys out an ended or revoked item. */
  isOver?: boolean;
  /** Beside the text, or below it when there is no room. */
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

/** For an empty list in a card, where a short text is enough. */
export const NoRows = ({ children }: { children: ReactNode }) => <p className={classes.none}>{children}</p>;
