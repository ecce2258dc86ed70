// "What would change?": asks the server what a change would give and take, before it is saved. Nothing is saved by it.
import { Button } from "@mantine/core";
import { IconArrowDownRight, IconArrowUpRight, IconZoomQuestion } from "@tabler/icons-react";
import { previewAccessChange, type AccessPreview, type InputOf } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Tag } from "#shared/ui/tag.tsx";
import { linesOf, summaryOf, unshown, type PreviewLine } from "./preview-words.ts";
import classes from "./what-would-change.module.css";

export type WishedChange = NonNullable<InputOf<typeof previewAccessChange>["body"]>["change"];

export interface WhatWouldChangeProps {
  /** Null while it is not complete. */
  change: WishedChange | null;
  /** The button is what the place is for, not an offer beside it. */
  isMain?: boolean;
}

/** The answer goes as soon as the change is another one. */
export function WhatWouldChange({ change, isMain = false }: WhatWouldChangeProps) {
  const { mutate, data, error, variables, isPending } = useMutation({
    mutationFn: (wished: WishedChange) => call(previewAccessChange, { body: { change: wished } }),
  });
  const isCurrent = JSON.stringify(variables) === JSON.stringify(change);
  return (
    <div className={classes.place}>
      <Button
        variant={isMain ? "filled" : "default"}
        size={isMain ? "sm" : "compact-sm"}
        leftSection={<IconZoomQuestion size={16} aria-hidden />}
        loading={isPending}
        disabled={change === null}
        onClick={() => change !== null && mutate(change)}
      >
        What would change?
      </Button>
      <div aria-live="polite">
        {isCurrent && data !== undefined && <Answer preview={data} />}
        {isCurrent && error !== null && (
          <p className={classes.refused} role="alert">
            {messageOf(error)}
          </p>
        )}
      </div>
    </div>
  );
}

function Answer({ preview }: { preview: AccessPreview }) {
  const more = unshown(preview);
  return (
    <div className={classes.answer}>
      <p className={classes.summary}>{summaryOf(preview)}</p>
      {preview.people.length > 0 && (
        <ul className={classes.people} aria-label="Who gains and loses what">
          {preview.people.map((person) => (
            <li key={person.user_id} className={classes.person}>
              <div className={classes.who}>
                <span className={classes.name}>{person.name}</span>
                <span className={classes.email}>{person.email}</span>
              </div>
              <ul className={classes.lines}>
                {linesOf(person).map((line) => (
                  <Line key={`${line.kind} ${line.what}`} line={line} />
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p className={classes.more}>And {counted(more, "other person", "other people")}.</p>}
    </div>
  );
}

const SIGN = 13;

function Line({ line: { kind, what, where, note } }: { line: PreviewLine }) {
  const gains = kind === "gains";
  return (
    <li className={classes.line}>
      <Tag
        tone={gains ? "success" : "danger"}
        icon={gains ? <IconArrowUpRight size={SIGN} aria-hidden /> : <IconArrowDownRight size={SIGN} aria-hidden />}
      >
        {gains ? "Gains" : "Loses"}
      </Tag>
      <span>
        {what}: <strong>{where}</strong>
        {note !== null && ` (${note})`}
      </span>
    </li>
  );
}
