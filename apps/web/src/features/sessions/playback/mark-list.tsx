// The marks of a recording: choosing one shows its moment.
import { UnstyledButton } from "@mantine/core";
import { Tag } from "#shared/ui/tag.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import type { CastMark } from "./cast-text.ts";
import classes from "./playback.module.css";

const KINDS: Record<string, { label: string; tone: Tone }> = {
  command: { label: "Command", tone: "neutral" },
  privilege: { label: "Privilege change", tone: "warning" },
  error: { label: "Error", tone: "danger" },
  login: { label: "Login", tone: "success" },
  transfer: { label: "File transfer", tone: "info" },
  input: { label: "Input", tone: "neutral" },
  note: { label: "Note", tone: "neutral" },
};

interface MarkListProps {
  marks: readonly CastMark[];
  timeOf: (mark: CastMark) => string;
  onChoose: (event: number) => void;
}

export function MarkList({ marks, timeOf, onChoose }: MarkListProps) {
  return (
    <ul aria-label="Marks" className={classes.marks}>
      {marks.map((mark, place) => {
        const { label, tone } = KINDS[mark.kind] ?? KINDS["note"]!;
        return (
          // Several marks can be at one event, and the list never changes.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={place}>
            <UnstyledButton className={classes.mark} onClick={() => onChoose(mark.index)}>
              <span className={classes.markHead}>
                <span className={classes.time}>{timeOf(mark)}</span>
                <Tag tone={tone}>{label}</Tag>
              </span>
              <span className={classes.markText}>{mark.text}</span>
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}
