// A card with a title, for the sections of a page.
import { useId, type ReactNode } from "react";
import classes from "./section-card.module.css";

export interface SectionCardProps {
  title: string;
  description?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

export function SectionCard({ title, description, actions, children }: SectionCardProps) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <div className={classes.head}>
        <div>
          <h2 className={classes.title} id={id}>
            {title}
          </h2>
          {description !== undefined && <p className={classes.description}>{description}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
