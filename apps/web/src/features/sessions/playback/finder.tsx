// Finds text in the recording that plays.
import { Button, Group, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { CastText } from "./cast-text.ts";
import type { Cast } from "./player.ts";

interface FinderProps {
  cast: Cast;
  /** The event after which the search begins. */
  after: () => number;
  onFound: (event: number) => void;
}

export function Finder({ cast, after, onFound }: FinderProps) {
  const text = useMemo(() => new CastText(cast.events), [cast]);
  const [wanted, setWanted] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  return (
    <form
      aria-label="Find in this recording"
      onSubmit={(event) => {
        event.preventDefault();
        const found = text.next(wanted, after());
        setIsMissing(found === null);
        if (found !== null) onFound(found);
      }}
    >
      <Group gap="sm" align="flex-start">
        <TextInput
          aria-label="Find in this recording"
          placeholder="Find in this recording"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={wanted}
          error={isMissing && "Not found in this recording"}
          maxLength={200}
          onChange={(event) => {
            setWanted(event.currentTarget.value);
            setIsMissing(false);
          }}
        />
        <Button type="submit" variant="default" disabled={wanted === ""}>
          Find Next
        </Button>
      </Group>
    </form>
  );
}
