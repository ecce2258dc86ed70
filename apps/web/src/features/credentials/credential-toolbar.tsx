// Search and type filter of the vault. Typing waits a moment before it reaches the address, and with it the server.
import { CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { TYPE_FILTERS, withFilter } from "./credential-filter.ts";
import classes from "./credential-list-page.module.css";

const TYPING_PAUSE_MS = 250;

export function CredentialToolbar({ count }: { count: string }) {
  const [params, setParams] = useSearchParams();
  const searched = params.get("search") ?? "";
  const [text, setText] = useState(searched);

  // Another way to change the address (the top bar's search, Back) wins over what stands in the box.
  const [lastSearched, setLastSearched] = useState(searched);
  if (searched !== lastSearched) {
    setLastSearched(searched);
    if (searched !== text.trim()) setText(searched);
  }

  useEffect(() => {
    if (text.trim() === searched) return undefined;
    const timer = setTimeout(() => {
      setParams((before) => withFilter(before, "search", text), { replace: true });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, searched, setParams]);

  const chooseType = (type: string) => setParams((before) => withFilter(before, "type", type), { replace: true });

  return (
    <div className={classes.toolbar} role="search" aria-label="Credentials">
      <TextInput
        className={classes.search}
        aria-label="Search credentials"
        placeholder="Search by name or username"
        type="search"
        maxLength={100}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={text !== "" && <CloseButton size="sm" aria-label="Clear search" onClick={() => setText("")} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <NativeSelect
        className={classes.type}
        aria-label="Type"
        data={TYPE_FILTERS.map(({ value, label }) => ({ value, label }))}
        value={params.get("type") ?? ""}
        onChange={(event) => chooseType(event.currentTarget.value)}
      />
      <p className={classes.count} role="status">
        {count}
      </p>
    </div>
  );
}
