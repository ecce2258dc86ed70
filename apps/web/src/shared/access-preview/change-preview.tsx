// "What would change?": previews who would gain and lose access, without saving anything.
import { IconArrowDownRight, IconArrowUpRight } from "@tabler/icons-react";
import { previewAccessChange, type AccessPreview, type InputOf } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { counted } from "#shared/format/text.ts";
import { Tag } from "#shared/ui/tag.tsx";
import { PreviewPerson, PreviewQuestion } from "./preview-question.tsx";
import { linesOf, summaryOf, unshown, type PreviewLine } from "./preview-labels.ts";
import classes from "./change-preview.module.css";

export type ProposedChange = NonNullable<InputOf<typeof previewAccessChange>["body"]>["change"];

export interface WhatWouldChangeProps {
  /** Null while the change is incomplete. */
  change: ProposedChange | null;
  /** Shows the button as the main action. */
  isMain?: boolean;
}

const asking = { mutationFn: (change: ProposedChange) => call(previewAccessChange, { body: { change } }) };

export const ChangePreview = ({ change, isMain = false }: WhatWouldChangeProps) => (
  <div className={classes.place}>
    <PreviewQuestion asking={asking} wish={change} button={isMain ? MAIN : BESIDE}>
      {(preview) => <Answer preview={preview} />}
    </PreviewQuestion>
  </div>
);

const MAIN = { variant: "filled", size: "sm" } as const;
const BESIDE = { variant: "default", size: "compact-sm" } as const;

function Answer({ preview }: { preview: AccessPreview }) {
  const more = unshown(preview);
  return (
    <div className={classes.answer}>
      <p className={classes.summary}>{summaryOf(preview)}</p>
      {preview.people.length > 0 && (
        <ul className={classes.people} aria-label="Access changes">
          {preview.people.map((person) => (
            <PreviewPerson key={person.user_id} name={person.name} email={person.email}>
              <ul className={classes.lines}>
                {linesOf(person).map((line) => (
                  <Line key={`${line.kind} ${line.what}`} line={line} />
                ))}
              </ul>
            </PreviewPerson>
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
