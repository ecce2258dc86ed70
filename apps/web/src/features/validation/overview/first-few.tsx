// A list that shows its first rows, and all of them on request (VAL-12).
import { useId, useState, type ReactNode } from "react";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import rows from "../accounts/rows.module.css";

/** VAL-12. */
export const FIRST = 5;

export interface FirstFewProps<T> {
  /** The accessible name of the list. */
  label: string;
  items: readonly T[];
  children: (item: T) => ReactNode;
}

export function FirstFew<T>({ label, items, children }: FirstFewProps<T>) {
  const id = useId();
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      <ul className={rows.rows} id={id} aria-label={label}>
        {(isWhole ? items : items.slice(0, FIRST)).map(children)}
      </ul>
      {items.length > FIRST && (
        <DisclosureButton
          label={isWhole ? "Show Fewer" : `Show All ${items.length}`}
          isOpen={isWhole}
          onChange={setIsWhole}
          controls={id}
        />
      )}
    </>
  );
}
