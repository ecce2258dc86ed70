// A select for more options than fit on a page: typing searches on the server.
import { Loader, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { MOST_SEARCHED } from "./address-search.tsx";
import { toast } from "./toast.ts";

const TYPING_PAUSE_MS = 250;

export interface Found {
  value: string;
  label: string;
  /** On a second line, such as an address. */
  hint?: string | undefined;
  icon?: ReactNode;
}

export interface SearchSelectProps<Answer> {
  label: string;
  description?: ReactNode;
  placeholder?: string;
  required?: boolean;
  clearable?: boolean;
  disabled?: boolean;
  error?: ReactNode;
  /** Null while no option is selected. */
  value: Found | null;
  onChange: (found: Found | null) => void;
  /** The query for a text; an empty text returns the first options. */
  search: (text: string) => UseQueryOptions<Answer>;
  foundIn: (answer: Answer) => Found[];
  nothingFound?: string;
  /** A toast for a failed search; the field shows the reason. */
  failureToast?: string;
  /** The hint to show before searching; null once the text is long enough. */
  missingIn?: (text: string) => string | null;
}

const nothingMissing = (): null => null;

/** The minimum text for a directory search. */
export const twoLetters = (text: string): string | null => (text.length < 2 ? "Type at least 2 letters" : null);

export function SearchSelect<Answer>({
  value,
  onChange,
  search,
  foundIn,
  nothingFound = "No matches",
  missingIn = nothingMissing,
  failureToast,
  ...field
}: SearchSelectProps<Answer>) {
  const [text, setText] = useState(value?.label ?? "");
  const [isOpen, setIsOpen] = useState(false);
  // After a selection the box shows its label, which is not a search.
  const wanted = text === value?.label ? "" : text.trim().slice(0, MOST_SEARCHED);
  const [searched] = useDebouncedValue(wanted, TYPING_PAUSE_MS);
  const missing = missingIn(searched);
  const isEnabled = isOpen && missing === null;
  const answer = useQuery<Answer>({ ...search(searched), enabled: isEnabled, placeholderData: keepPreviousData });
  useEffect(() => {
    if (failureToast !== undefined && answer.error !== null) toast.error(failureToast, { id: failureToast });
  }, [failureToast, answer.error]);
  const found = answer.data === undefined || missing !== null ? [] : foundIn(answer.data);
  const shown = value === null || found.some((each) => each.value === value.value) ? found : [value, ...found];

  return (
    <Select
      {...field}
      maxLength={MOST_SEARCHED}
      searchable
      inputWrapperOrder={["label", "input", "description", "error"]}
      allowDeselect={false}
      // The server has filtered already.
      filter={({ options }) => options}
      data={shown.map(({ value: id, label }) => ({ value: id, label }))}
      value={value?.value ?? null}
      onChange={(id) => onChange(plain(shown.find((each) => each.value === id)))}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      rightSection={answer.isFetching ? <Loader size={14} aria-hidden /> : undefined}
      nothingFoundMessage={
        missing !== null
          ? missing
          : answer.isError
            ? messageOf(answer.error)
            : answer.data === undefined
              ? "Searching..."
              : nothingFound
      }
      renderOption={({ option }) => <Choice found={shown.find((each) => each.value === option.value)} />}
    />
  );
}

/** Without the icon, which a form cannot store. */
const plain = (found: Found | undefined): Found | null =>
  found === undefined ? null : { value: found.value, label: found.label, hint: found.hint };

function Choice({ found }: { found: Found | undefined }) {
  if (found === undefined) return null;
  return (
    <span style={{ display: "flex", alignItems: "center", gap: "0.5rem", minWidth: 0 }}>
      {found.icon}
      <span style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        {found.label}
        {found.hint !== undefined && (
          <span style={{ display: "block", color: "var(--mantine-color-dimmed)", fontSize: "0.75rem" }}>
            {found.hint}
          </span>
        )}
      </span>
    </span>
  );
}
