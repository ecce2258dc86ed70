// "What would change?" beside Save: fetches the effects of the edited policy before it is saved.
import { IconAlertTriangle } from "@tabler/icons-react";
import type { PolicyPreview as Preview, SignInPolicy } from "@strongroom/contract";
import { PreviewPerson, PreviewQuestion } from "#shared/access-preview/preview-question.tsx";
import { counted } from "#shared/format/text.ts";
import { policyPreview } from "../users.queries.ts";
import { notesOf, partsOf, warningsOf, type PolicyPreviewPart } from "./policy-preview-labels.ts";
import classes from "./policy-preview.module.css";

export interface PolicyPreviewProps {
  before: SignInPolicy;
  /** Null when a preview is not possible: the policy is unchanged or invalid. */
  after: SignInPolicy | null;
}

export const PolicyPreview = ({ before, after }: PolicyPreviewProps) => (
  <div className={classes.place}>
    <PreviewQuestion asking={policyPreview} wish={after}>
      {(preview, asked) => <Answer preview={preview} notes={notesOf(before, asked, preview)} />}
    </PreviewQuestion>
  </div>
);

function Answer({ preview, notes }: { preview: Preview; notes: readonly string[] }) {
  const [warnings, parts] = [warningsOf(preview), partsOf(preview)];
  return (
    <div className={classes.answer}>
      {warnings.map((warning) => (
        <p key={warning} className={classes.warning}>
          <IconAlertTriangle size={16} aria-hidden />
          {warning}
        </p>
      ))}
      {parts.map((part) => (
        <Part key={part.title} part={part} />
      ))}
      {notes.map((note) => (
        <p key={note} className={classes.note}>
          {note}
        </p>
      ))}
      {warnings.length + parts.length + notes.length === 0 && (
        <p className={classes.note}>No current users would be affected.</p>
      )}
    </div>
  );
}

const Part = ({ part: { title, people, more } }: { part: PolicyPreviewPart }) => (
  <section>
    <p className={classes.title}>{title}</p>
    <ul className={classes.people} aria-label={title}>
      {people.map(({ id, name, email, says }) => (
        <PreviewPerson key={id} name={name} email={email}>
          <span className={classes.says}>{says}</span>
        </PreviewPerson>
      ))}
    </ul>
    {more > 0 && <p className={classes.note}>And {counted(more, "other person", "other people")}.</p>}
  </section>
);
