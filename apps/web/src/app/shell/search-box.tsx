// The top bar's search (SHELL-18, OPEN-28): a click, typing, `/` or Ctrl/⌘ K opens the results; the focus stays in
// the box.
import { Kbd, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useCallback, useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useNavigate } from "react-router";
import type { SearchOption } from "#features/search/search-options.ts";
import type { SearchPanelHandle } from "#features/search/search-panel.tsx";
import { useUser } from "#shared/session/session-store.ts";
import { paths } from "#shared/paths.ts";
import type { RequestedAction } from "./requested-action.tsx";
import classes from "./top-bar.module.css";

const SearchPanel = lazy(() => import("#features/search/search-panel.tsx"));
const SearchAct = lazy(() => import("./requested-action.tsx"));

const PLACEHOLDER = "Search credentials, sessions, users...";

/** Whether the user is typing into a field. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Calls back for `/` unless the user is typing, and for Ctrl/⌘ K anywhere; `?` opens the list of shortcuts. */
function useShortcuts(onWanted: () => void, onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const isSlash = event.key === "/" && isPlain && !isTyping(event.target);
      const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isQuestion = event.key === "?" && isPlain && !isTyping(event.target);
      // An open dialog keeps the focus.
      if (!(isSlash || isK || isQuestion) || document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      if (isQuestion) onHelp();
      else onWanted();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onWanted, onHelp]);
}

export function SearchBox() {
  const navigate = useNavigate();
  const userId = useUser().id;
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const panel = useRef<SearchPanelHandle>(null);
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const [marked, setMarked] = useState<string>();
  const [act, setAct] = useState<RequestedAction | null>(null);

  const open = useCallback(() => {
    input.current?.focus();
    input.current?.select();
    setIsOpen(true);
  }, []);
  const help = useCallback(() => void navigate(paths.help), [navigate]);
  useShortcuts(open, help);
  const close = () => {
    setIsOpen(false);
    setMarked(undefined);
  };

  const choose = useCallback(
    (option: SearchOption) => {
      setIsOpen(false);
      setMarked(undefined);
      setText("");
      if (option.kind !== "page") void remember(userId, option);
      if (option.kind !== "act") void navigate(option.to);
      else if (option.act === "request") void navigate(paths.requestAccess(option.result.id));
      else if (option.act === "connect") void navigate(paths.connect(option.result.id), { state: { starts: true } });
      else setAct(wantedAct(option.act, option.result));
    },
    [navigate, userId],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (step !== undefined) {
      event.preventDefault();
      if (isOpen) panel.current?.move(step);
      else setIsOpen(true);
    }
    if (event.key === "Escape" && isOpen) {
      // The first Escape closes the results and leaves the text unchanged.
      event.preventDefault();
      close();
    }
  };

  return (
    <>
      <form
        className={classes.search}
        role="search"
        aria-label="Global"
        onSubmit={(event) => {
          event.preventDefault();
          if (isOpen) panel.current?.choose();
          else setIsOpen(true);
        }}
      >
        <TextInput
          ref={input}
          type="search"
          size="sm"
          role="combobox"
          aria-label="Search"
          aria-keyshortcuts="/ Control+K Meta+K"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={marked}
          autoComplete="off"
          spellCheck={false}
          placeholder={PLACEHOLDER}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setIsOpen(true);
          }}
          onClick={() => setIsOpen(true)}
          onKeyDown={onKeyDown}
          onBlur={close}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          rightSectionWidth="3.5rem"
          rightSectionProps={{ "aria-hidden": true, className: classes.key }}
          maxLength={100}
        />
        {isOpen && (
          <Suspense fallback={null}>
            <SearchPanel ref={panel} id={listId} typed={text} onMark={setMarked} onChoose={choose} />
          </Suspense>
        )}
      </form>
      {/* Outside the form, so that events in the dialogs do not bubble to the search box. */}
      {act !== null && (
        <Suspense fallback={null}>
          <SearchAct key={act.turn} {...act} />
        </Suspense>
      )}
    </>
  );
}

let turns = 0;
const wantedAct = (act: RequestedAction["act"], of: RequestedAction["of"]): RequestedAction => ({
  act,
  of,
  turn: (turns += 1),
});

async function remember(userId: string, { result }: Extract<SearchOption, { kind: "result" | "act" }>): Promise<void> {
  const { rememberItem } = await import("#features/search/recent-items.ts");
  rememberItem(userId, result);
}
