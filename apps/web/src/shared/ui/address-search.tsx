// A search box whose text is stored in the address as `?search=`, debounced.
import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import classes from "./address-search.module.css";

const TYPING_PAUSE_MS = 250;
export const MOST_SEARCHED = 100;

export interface AddressSearchProps {
  label: string;
  placeholder: string;
  /** The debounce time in milliseconds. */
  pauseMs?: number;
}

export function AddressSearch({ label, placeholder, pauseMs = TYPING_PAUSE_MS }: AddressSearchProps) {
  const [params, setParams] = useSearchParams();
  const searched = params.get("search") ?? "";
  const [text, setText] = useState(searched);

  // When the address changes by other means (the top bar's search, Back), the box shows the text of the address.
  const [lastSearched, setLastSearched] = useState(searched);
  if (searched !== lastSearched) {
    setLastSearched(searched);
    if (searched !== text.trim()) setText(searched);
  }

  useEffect(() => {
    if (text.trim() === searched) return undefined;
    const timer = setTimeout(() => {
      setParams((before) => withParam(before, "search", text), { replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, searched, setParams, pauseMs]);

  return (
    <TextInput
      className={classes.search}
      aria-label={label}
      placeholder={placeholder}
      type="search"
      maxLength={MOST_SEARCHED}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== "" && <CloseButton size="sm" aria-label="Clear search" onClick={() => setText("")} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
