// The sidebar: brand and tagline, entries, system status (SHELL-12 to SHELL-17).
import { Collapse, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { Link, NavLink, useLocation } from "react-router";
import { useIsPending } from "#shared/session/pending-account.ts";
import { useUser } from "#shared/session/session-store.ts";
import { VaultMark } from "#shared/ui/vault-mark.tsx";
import { paths } from "#shared/paths.ts";
import { navigationFor, pendingNavigation, type NavigationEntry, type NavigationGroup } from "#shared/navigation.ts";
import classes from "./sidebar.module.css";
import { SystemStatus } from "./system-status.tsx";

interface EntryProps {
  entry: NavigationEntry;
  isNested?: boolean;
  onNavigate: (() => void) | undefined;
}

function Entry({ entry, isNested = false, onNavigate }: EntryProps) {
  const { icon: EntryIcon, label, path, pages = [] } = entry;
  const { pathname } = useLocation();
  const isOpen = pages.length > 0 && (pathname === path || pathname.startsWith(`${path}/`));
  return (
    <li>
      <NavLink
        to={path}
        end={path === paths.dashboard || pages.length > 0}
        className={classes.entry}
        data-nested={isNested}
        onClick={onNavigate}
      >
        <EntryIcon size={17} stroke={1.7} aria-hidden />
        <span>{label}</span>
      </NavLink>
      {isOpen && (
        <ul className={classes.nested}>
          {pages.map((page) => (
            <Entry key={page.path} entry={page} isNested onNavigate={onNavigate} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Group({ group, onNavigate }: { group: NavigationGroup; onNavigate: (() => void) | undefined }) {
  const [isOpen, setIsOpen] = useState(true);
  const id = useId();
  const { icon: GroupIcon, label, entries } = group;
  return (
    <li>
      <UnstyledButton
        className={classes.entry}
        onClick={() => setIsOpen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={id}
      >
        <GroupIcon size={17} stroke={1.7} aria-hidden />
        <span>{label}</span>
        <IconChevronRight className={classes.chevron} data-open={isOpen} size={14} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        <ul className={classes.nested}>
          {entries.map((entry) => (
            <Entry key={entry.path} entry={entry} isNested onNavigate={onNavigate} />
          ))}
        </ul>
      </Collapse>
    </li>
  );
}

export interface SidebarProps {
  /** Called after an entry is chosen, to close the slide-in sidebar. */
  onNavigate?: () => void;
}

export function Sidebar({ onNavigate }: SidebarProps) {
  const { role } = useUser();
  const isPending = useIsPending();
  return (
    <div className={classes.sidebar}>
      <Link to={paths.dashboard} className={classes.brand} onClick={onNavigate}>
        <VaultMark size={30} />
        <span>
          <span className={classes.name}>Strongroom</span>
          <span className={classes.tagline}>Security Platform</span>
        </span>
      </Link>
      <nav className={classes.scroll} aria-label="Main">
        <ul className={classes.list}>
          {(isPending ? pendingNavigation : navigationFor(role)).map((item) =>
            "entries" in item ? (
              <Group key={item.label} group={item} onNavigate={onNavigate} />
            ) : (
              <Entry key={item.path} entry={item} onNavigate={onNavigate} />
            ),
          )}
        </ul>
      </nav>
      <SystemStatus />
    </div>
  );
}
