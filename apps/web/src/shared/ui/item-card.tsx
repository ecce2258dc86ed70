// The card of one item in a grid: facts, state and actions. All kinds of cards share it.
import { ActionIcon, Button } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";
import { Link } from "react-router";
import classes from "./item-card.module.css";
import { toneStyle, type Tone } from "./tone.ts";

export interface CardFact {
  name: string;
  value: ReactNode;
  /** The tooltip, when the value may not fit. */
  title?: string | undefined;
  /** Takes a whole line, as the first fact does. */
  isWide?: boolean;
}

export interface ItemCardProps {
  icon: ReactNode;
  title: string;
  /** The target of the title's link. */
  to?: string;
  subtitle: ReactNode;
  /** The tooltip with the full subtitle. */
  subtitleTitle?: string | undefined;
  badges?: ReactNode;
  /** The first fact takes a whole line. */
  facts: readonly CardFact[];
  /** Below the facts, such as a `CardNote`. */
  note?: ReactNode;
  /** `CardButton`s, then `CardSigns`. */
  actions: ReactNode;
  isBusy?: boolean;
  isAlarming?: boolean;
  isSelected?: boolean;
}

export function ItemCard({
  icon,
  title,
  to,
  subtitle,
  subtitleTitle,
  badges,
  facts,
  note,
  actions,
  isBusy = false,
  isAlarming = false,
  isSelected = false,
}: ItemCardProps) {
  const titleId = useId();
  return (
    <article
      className={classes.card}
      aria-labelledby={titleId}
      aria-busy={isBusy}
      data-alarm={isAlarming}
      data-selected={isSelected}
    >
      <header className={classes.head}>
        <span className={classes.icon}>{icon}</span>
        <div className={classes.titles}>
          <h2 className={classes.name} id={titleId} title={title}>
            {to === undefined ? (
              title
            ) : (
              <Link className={classes.nameLink} to={to}>
                {title}
              </Link>
            )}
          </h2>
          <p className={classes.subtitle} title={subtitleTitle}>
            {subtitle}
          </p>
        </div>
        <div className={classes.badges}>{badges}</div>
      </header>
      <dl className={classes.facts}>
        {facts.map(({ name, value, title: hint, isWide = false }) => (
          <div key={name} className={classes.fact} data-wide={isWide}>
            <dt>{name}</dt>
            <dd title={hint}>{value}</dd>
          </div>
        ))}
      </dl>
      {note}
      <div className={classes.actions}>{actions}</div>
    </article>
  );
}

/** A note about the item, cut to two lines; the tooltip has the full text. */
export function CardNote({ tone, icon: NoteIcon, text }: { tone: Tone; icon: Icon; text: string }) {
  return (
    <p className={classes.note} style={toneStyle(tone)} title={text}>
      <NoteIcon className={classes.noteIcon} size={15} aria-hidden />
      <span className={classes.noteText}>{text}</span>
    </p>
  );
}

const ICON_SIZE = 16;

export interface CardButtonProps {
  label: string;
  /** The button's accessible name, which begins with the label, when the card is too narrow for all of it. */
  name?: string;
  icon: Icon;
  onClick: () => void;
  /** The most common action. */
  isPrimary?: boolean;
  /** `red` for destructive actions. */
  color?: string | undefined;
  isBusy?: boolean;
  isDisabled?: boolean;
}

export function CardButton({
  label,
  name,
  icon: ButtonIcon,
  onClick,
  isPrimary = false,
  color,
  isBusy = false,
  isDisabled = false,
}: CardButtonProps) {
  return (
    <Button
      size="compact-sm"
      aria-label={name}
      title={name}
      variant={isPrimary || color !== undefined ? "light" : "default"}
      color={color}
      onClick={onClick}
      loading={isBusy}
      disabled={isDisabled}
    >
      <ButtonIcon className={classes.buttonIcon} size={ICON_SIZE} aria-hidden />
      {label}
    </Button>
  );
}

/** The icon-only actions, at the card's end. */
export function CardSigns({ children }: { children: ReactNode }) {
  return <span className={classes.signs}>{children}</span>;
}

export interface CardSignProps {
  label: string;
  icon: Icon;
  /** Runs on click; `to` makes the sign a link instead. */
  onClick?: () => void;
  to?: string;
}

/** An icon with a tooltip in pure CSS, because scrolling renders thousands of cards. */
export function CardSign({ label, icon: SignIcon, onClick, to }: CardSignProps) {
  const icon = <SignIcon size={ICON_SIZE} aria-hidden />;
  return (
    <span className={classes.tip} data-label={label}>
      {to === undefined ? (
        <ActionIcon aria-label={label} onClick={onClick}>
          {icon}
        </ActionIcon>
      ) : (
        <ActionIcon component={Link} to={to} aria-label={label}>
          {icon}
        </ActionIcon>
      )}
    </span>
  );
}
