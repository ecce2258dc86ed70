// The panel of the search box: the results, as a list controlled by the keys of the box (OPEN-28).
import {
  IconArrowRight,
  IconBuildingBank,
  IconClockBolt,
  IconCopy,
  IconDeviceDesktopCog,
  IconKey,
  IconLayoutSidebar,
  IconRefresh,
  IconRobot,
  IconServer,
  IconShieldCheck,
  IconTerminal2,
  IconUser,
  IconUserShield,
  IconUsersGroup,
  IconVideo,
  type Icon,
} from "@tabler/icons-react";
import type { SearchAction, SearchKind } from "@strongroom/contract";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, keepPreviousData } from "@tanstack/react-query";
import {
  createElement,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useUser } from "#shared/session/session-store.ts";
import { pagesFor } from "./product-pages.ts";
import { readQuery } from "./read-query.ts";
import { recentItems } from "./recent-items.ts";
import { optionsFor, recentOptions, type OptionGroup, type SearchOption } from "./search-options.ts";
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { queryOf } from "#shared/api/query.ts";
import classes from "./search-panel.module.css";

/** Permissions can change at any time, so results are never reused. */
const ALWAYS_ASKED = { staleTime: 0, gcTime: 0 } as const;

const TYPING_PAUSE_MS = 120;

/** Keyboard actions of the box, which keeps the focus. */
export interface SearchPanelHandle {
  move: (step: 1 | -1) => void;
  /** Opens the active option, or waits for pending results first. */
  choose: () => void;
}

export interface SearchPanelProps {
  ref: Ref<SearchPanelHandle>;
  id: string;
  typed: string;
  /** The element id of the active option, for `aria-activedescendant`. */
  onMark: (id: string | undefined) => void;
  onChoose: (option: SearchOption) => void;
}

export default function SearchPanel({ ref, id, typed, onMark, onChoose }: SearchPanelProps) {
  const { groups, isFresh, error } = useOptions(typed);
  const options = groups.flatMap(({ options }) => options);
  const [wanted, setWanted] = useState<{ place: number; typed: string }>({ place: 0, typed });
  const isAwaited = useRef(false);
  // A changed text resets the active option to the first.
  const place = wanted.typed === typed ? Math.min(wanted.place, Math.max(0, options.length - 1)) : 0;
  const marked = options[place];
  const elementOf = (option: SearchOption) => `${id}-${option.id}`;
  const markedElement = marked === undefined ? undefined : elementOf(marked);

  // Before the browser paints, so that the box never names an option that is gone.
  useLayoutEffect(() => onMark(markedElement), [markedElement, onMark]);
  useEffect(() => {
    if (markedElement !== undefined) document.getElementById(markedElement)?.scrollIntoView?.({ block: "nearest" });
  }, [markedElement]);
  useEffect(() => {
    if (!isAwaited.current || !isFresh) return;
    isAwaited.current = false;
    if (marked !== undefined) onChoose(marked);
  }, [isFresh, marked, onChoose]);

  useImperativeHandle(ref, () => ({
    move: (step) =>
      setWanted({ place: options.length === 0 ? 0 : (place + step + options.length) % options.length, typed }),
    choose: () => {
      isAwaited.current = !isFresh;
      if (isFresh && marked !== undefined) onChoose(marked);
    },
  }));

  return (
    <div className={classes.panel}>
      <div
        role="listbox"
        tabIndex={-1}
        id={id}
        aria-label="Search results"
        aria-busy={!isFresh}
        className={classes.list}
        // Keeps the focus in the box.
        onMouseDown={(event) => event.preventDefault()}
      >
        {groups.map((group, place) => (
          <Group key={group.label} id={`${id}-${place}`} label={group.label}>
            {group.options.map((option) => (
              <Option
                key={option.id}
                id={elementOf(option)}
                option={option}
                isMarked={option === marked}
                onPoint={() => setWanted({ place: options.indexOf(option), typed })}
                onChoose={() => onChoose(option)}
              />
            ))}
          </Group>
        ))}
      </div>
      <p className={classes.note} role="status">
        {noteOf(typed.trim(), options.length, isFresh, error)}
      </p>
    </div>
  );
}

/** Returns recent items for an empty text, otherwise the results. */
function useOptions(typed: string): { groups: OptionGroup[]; isFresh: boolean; error: Error | null } {
  const user = useUser();
  const [settled] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  const wish = readQuery(settled);
  const isEmpty = typed.trim() === "";
  const [items] = useState(() => recentItems(user.id));
  const found = useQuery({ ...foundFor(wish.text), enabled: wish.text !== "" });
  const recent = useQuery({ ...stillSeen(items), enabled: isEmpty && items.length > 0 });
  if (isEmpty) {
    return { groups: recentOptions(recent.data?.results ?? []), isFresh: !recent.isFetching, error: null };
  }
  const isFresh = settled === typed && !found.isFetching && !found.isPlaceholderData;
  const pages = wish.text === "" ? [] : pagesFor(wish.text, user.role);
  return { groups: optionsFor(wish, found.data?.results ?? [], pages), isFresh, error: found.error };
}

function noteOf(typed: string, count: number, isFresh: boolean, error: Error | null): string {
  if (error !== null) return messageOf(error, "The search failed. Try again.");
  if (typed === "") return 'Type a name, host or user name, or an action such as "rotate …" or "request access to …"';
  if (!isFresh) return "Searching...";
  return count === 0 ? "No results" : `${count} found. Use the arrow keys to select and Enter to open.`;
}

function Group({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div role="group" aria-labelledby={id}>
      <div className={classes.label} id={id}>
        {label}
      </div>
      {children}
    </div>
  );
}

interface OptionProps {
  id: string;
  option: SearchOption;
  isMarked: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, option, isMarked, onPoint, onChoose }: OptionProps) {
  return (
    // The box has the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="option"
      id={id}
      aria-selected={isMarked}
      tabIndex={-1}
      className={classes.option}
      onMouseMove={isMarked ? undefined : onPoint}
      onClick={onChoose}
    >
      {createElement(iconOf(option), { size: 17, stroke: 1.7, "aria-hidden": true })}
      <span className={classes.text}>
        <span className={classes.title}>{option.label}</span>
        {option.detail !== "" && <span className={classes.detail}>{option.detail}</span>}
      </span>
      {isMarked && <IconArrowRight size={15} className={classes.go} aria-hidden />}
    </div>
  );
}

const KIND_ICONS: Record<SearchKind, Icon> = {
  account: IconUserShield,
  host: IconServer,
  credential: IconKey,
  safe: IconBuildingBank,
  "access-request": IconClockBolt,
  "privileged-session": IconVideo,
  user: IconUser,
  "machine-identity": IconRobot,
  group: IconUsersGroup,
  platform: IconDeviceDesktopCog,
};

const ACT_ICONS: Record<SearchAction, Icon> = {
  copy: IconCopy,
  connect: IconTerminal2,
  verify: IconShieldCheck,
  rotate: IconRefresh,
  request: IconClockBolt,
};

function iconOf(option: SearchOption): Icon {
  if (option.kind === "page") return IconLayoutSidebar;
  return option.kind === "act" ? ACT_ICONS[option.act] : KIND_ICONS[option.result.kind];
}

const foundFor = (text: string) => ({
  ...queryOf(searchEverywhere, { query: { search: text } }),
  ...ALWAYS_ASKED,
  placeholderData: keepPreviousData,
});

/** `items` in the format of `recentItems`. */
const stillSeen = (items: readonly string[]) => ({
  ...queryOf(readRecent, { query: { items: items.join(",") } }),
  ...ALWAYS_ASKED,
});
