// Searches what the terminals of recorded sessions showed; a line opens the player at its second.
import { Button, Stack, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { PrivilegedSession, RecordingHit, ReplyOf, searchRecordings } from "@strongroom/contract";
import { Suspense, lazy, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { countdown } from "#shared/format/time.ts";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { nameOf } from "../session-labels.ts";
import { findInRecordings } from "../sessions.queries.ts";
import classes from "./playback.module.css";

// Loaded on demand, because the terminal is large.
const PlaybackDialog = lazy(() => import("./playback-dialog.tsx"));

const SHORTEST = 3;

interface Moment {
  session: PrivilegedSession;
  startAt: number;
}

/** The button with its dialog. */
export function SearchRecordings() {
  const [isOpen, setIsOpen] = useState(false);
  const [moment, setMoment] = useState<Moment | null>(null);
  return (
    <>
      <Button variant="default" leftSection={<IconSearch size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        Search Recordings
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Search Recordings" size="lg" isShort>
        <Search onChoose={setMoment} />
      </Modal>
      {moment !== null && (
        <Suspense fallback={null}>
          <PlaybackDialog {...moment} opened isOnTop onClose={() => setMoment(null)} />
        </Suspense>
      )}
    </>
  );
}

type Found = ReplyOf<typeof searchRecordings>;

function Search({ onChoose }: { onChoose: (moment: Moment) => void }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<(Found & { text: string }) | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSearching, setIsSearching] = useState(false);
  const isHere = useIsHere();

  const search = async (wanted: string, before: Found | null): Promise<void> => {
    setIsSearching(true);
    setProblem(null);
    try {
      const more = await findInRecordings(wanted, before?.next_cursor ?? null);
      const hits = [...(before?.hits ?? []), ...more.hits];
      const searched = (before?.searched ?? 0) + more.searched;
      const skipped = (before?.skipped ?? 0) + more.skipped;
      if (isHere()) setFound({ ...more, hits, searched, skipped, text: wanted });
    } catch (error) {
      if (isHere()) setProblem(`Failed to search: ${messageOf(error)}`);
    } finally {
      if (isHere()) setIsSearching(false);
    }
  };
  return (
    <Stack gap="sm">
      <form
        aria-label="Search Recordings"
        onSubmit={(event) => {
          event.preventDefault();
          void search(text.trim(), null);
        }}
      >
        <div className={classes.searchForm}>
          <TextInput
            label="Text"
            description="Text that a terminal showed on one line"
            value={text}
            maxLength={200}
            error={problem}
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={isSearching} disabled={text.trim().length < SHORTEST}>
            Search
          </Button>
        </div>
      </form>
      {found === null ? (
        <Examples
          isDisabled={isSearching}
          onChoose={(example) => {
            setText(example);
            void search(example, null);
          }}
        />
      ) : (
        <>
          <span role="status">{summaryOf(found)}</span>
          {found.hits.length > 0 && (
            <RowList label="Sessions found">
              {found.hits.map((hit) => (
                <Hit key={hit.session.id} hit={hit} onChoose={onChoose} />
              ))}
            </RowList>
          )}
          {found.next_cursor !== null && (
            <Button variant="default" loading={isSearching} onClick={() => void search(found.text, found)}>
              Search Older Recordings
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

/** Texts that reviewers of sessions often search for. */
const EXAMPLES = ["sudo", "Permission denied", "/etc/shadow", "rm -rf"] as const;

function Examples({ isDisabled, onChoose }: { isDisabled: boolean; onChoose: (text: string) => void }) {
  return (
    <div className={classes.examples}>
      <p>
        Finds commands, file names and messages in all recordings that you can play, newest first. Upper and lower case
        match each other. For example:
      </p>
      <div className={classes.exampleButtons}>
        {EXAMPLES.map((example) => (
          <Button
            key={example}
            variant="default"
            size="compact-sm"
            ff="monospace"
            aria-label={`Search for ${example}`}
            disabled={isDisabled}
            onClick={() => onChoose(example)}
          >
            {example}
          </Button>
        ))}
      </div>
    </div>
  );
}

function summaryOf({ hits, searched, skipped }: Found): string {
  const found = `${hits.length} of ${searched} recordings contain the text.`;
  if (skipped === 0) return found;
  return `${found} ${skipped} could not be searched completely: recordings are prepared within minutes after their session.`;
}

function Hit({ hit, onChoose }: { hit: RecordingHit; onChoose: (moment: Moment) => void }) {
  const { session, lines, count } = hit;
  return (
    <Row name={<span>{nameOf(session)}</span>}>
      <RowDetail>
        <RelativeTime moment={session.startTime} />
      </RowDetail>
      {lines.map(({ at_seconds: startAt, text }, index) => (
        // Lines can be equal.
        // oxlint-disable-next-line react/no-array-index-key
        <RowDetail key={index}>
          <Button variant="subtle" size="compact-sm" onClick={() => onChoose({ session, startAt })}>
            {`${countdown(startAt * 1000)} · ${text}`}
          </Button>
        </RowDetail>
      ))}
      {count > lines.length && <RowDetail>{`${count - lines.length} more lines`}</RowDetail>}
    </Row>
  );
}
