// The marks of a recording: choosing one shows its moment.
import { Button } from "@mantine/core";
import type { CastMark } from "./cast-text.ts";
import classes from "./playback.module.css";

const KINDS: Record<string, string> = {
  command: "Command",
  privilege: "Privilege change",
  error: "Error",
  login: "Login",
  transfer: "File transfer",
  input: "Input",
  note: "Note",
};

interface MarkListProps {
  marks: readonly CastMark[];
  timeOf: (mark: CastMark) => string;
  onChoose: (event: number) => void;
}

export function MarkList({ marks, timeOf, onChoose }: MarkListProps) {
  return (
    <ul aria-label="Marks" className={classes.marks}>
      {marks.map((mark) => (
        <li key={mark.index}>
          <Button
            variant="subtle"
            size="compact-sm"
            justify="flex-start"
            className={classes.mark}
            onClick={() => onChoose(mark.index)}
          >
            {`${timeOf(mark)} · ${KINDS[mark.kind] ?? "Note"}: ${mark.text}`}
          </Button>
        </li>
      ))}
    </ul>
  );
}
