// Searches the output of a live terminal, with its scrollback.
import { ActionIcon, TextInput } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { Screen } from "../screen/screen.ts";
import classes from "../sessions.module.css";

interface TerminalSearchProps {
  screen: Screen;
  onClose: () => void;
}

/** Enter finds the previous match, because new output is at the end; Shift+Enter finds the next one. */
export function TerminalSearch({ screen, onClose }: TerminalSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  // The user asked for it by a key or a button.
  useEffect(() => input.current?.focus(), []);
  const [text, setText] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const find = (direction: "next" | "previous"): void => {
    setIsMissing(text !== "" && !screen.find(text, direction));
  };
  return (
    <search className={classes.search}>
      <TextInput
        className={classes.searchText}
        size="xs"
        aria-label="Search the terminal"
        placeholder="Search the terminal"
        value={text}
        ref={input}
        error={isMissing}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIsMissing(false);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(event.shiftKey ? "next" : "previous");
          if (event.key === "Escape") onClose();
        }}
      />
      <span role="status" className={classes.sentence}>
        {isMissing ? "Not found" : ""}
      </span>
      <ActionIcon variant="default" aria-label="Find Previous" onClick={() => find("previous")}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label="Find Next" onClick={() => find("next")}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label="Close Search" onClick={onClose}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </search>
  );
}
