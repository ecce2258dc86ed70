// The top bar's search (SHELL-18): Enter looks through the credentials, `/` puts the cursor here.
import { TextInput, Kbd } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useNavigate } from "react-router";
import { paths } from "../paths.ts";
import classes from "./top-bar.module.css";

const PLACEHOLDER = "Search credentials, sessions, users...";

/** Whether a key press belongs to a field that is being filled in. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function SearchBox() {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key !== "/" || !isPlain || isTyping(event.target)) return;
      // A dialog keeps the focus to itself.
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);

  const search = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    void navigate(wanted === "" ? paths.vault : paths.vaultSearch(wanted));
  };

  return (
    <form className={classes.search} role="search" aria-label="Everywhere" onSubmit={search}>
      <TextInput
        ref={input}
        type="search"
        size="sm"
        aria-label="Search"
        aria-keyshortcuts="/"
        placeholder={PLACEHOLDER}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Kbd size="xs">/</Kbd>}
        rightSectionProps={{ "aria-hidden": true, className: classes.key }}
        maxLength={100}
      />
    </form>
  );
}
