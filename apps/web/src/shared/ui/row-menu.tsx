// The actions of one row in a menu. Its accessible name contains the row's name: "Actions for root on db1".
import { Menu } from "@mantine/core";
import { IconDots, type Icon } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { Link } from "react-router";
import classes from "./row-menu.module.css";

export interface RowAction {
  label: string;
  icon: Icon;
  /** Runs on click; `to` makes the entry a link instead. */
  onClick?: () => void;
  to?: string;
  /** Shown last and in red. */
  isDanger?: boolean;
  isDisabled?: boolean;
}

export interface RowMenuProps {
  name: string;
  /** Called when the menu opens. */
  actionsOf: () => readonly RowAction[];
}

/** A plain button until it is clicked, because a list draws hundreds of them. */
export function RowMenu({ name, actionsOf }: RowMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [isUsed, setIsUsed] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  const button = (
    <button
      ref={buttonRef}
      type="button"
      className={classes.button}
      aria-label={`Actions for ${name}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={() => {
        setIsUsed(true);
        setIsOpen(true);
      }}
    >
      <IconDots size={16} aria-hidden />
    </button>
  );
  if (!isUsed) return button;
  // A dialog that an entry opens returns the focus to the button, because the entry is gone by then.
  const actions = actionsOf().map(({ onClick, ...action }): RowAction =>
    onClick === undefined
      ? action
      : {
          ...action,
          onClick: () => {
            buttonRef.current?.focus();
            onClick();
          },
        },
  );
  return (
    // In the page's landmark and outside the row, because the next row would cover it.
    <Menu
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-end"
      portalProps={{ target: document.querySelector<HTMLElement>("main") ?? document.body }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown aria-label={`Actions for ${name}`}>
        {actions.filter(({ isDanger }) => isDanger !== true).map(Entry)}
        {actions.some(({ isDanger }) => isDanger) && actions.length > 1 && <Menu.Divider />}
        {actions.filter(({ isDanger }) => isDanger === true).map(Entry)}
        {actions.length === 0 && <Menu.Item disabled>No Actions</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, icon: EntryIcon, onClick, to, isDanger = false, isDisabled = false }: RowAction) {
  const look = {
    leftSection: <EntryIcon size={16} aria-hidden />,
    ...(isDanger ? { c: "var(--mantine-color-error)" } : {}),
    disabled: isDisabled,
  };
  return to === undefined ? (
    <Menu.Item key={label} {...look} onClick={onClick}>
      {label}
    </Menu.Item>
  ) : (
    <Menu.Item key={label} {...look} component={Link} to={to}>
      {label}
    </Menu.Item>
  );
}
