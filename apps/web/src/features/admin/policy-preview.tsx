// "What would change?" beside Save: asks the server what the policy in the form would do, before it is saved.
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconZoomQuestion } from "@tabler/icons-react";
import type { PolicyPreview as Preview, SignInPolicy } from "@strongroom/contract";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { policyPreview } from "./admin.queries.ts";
import { notesOf, partsOf, warningsOf, type PreviewPart } from "./policy-preview-words.ts";
import classes from "./policy-preview.module.css";

export interface PolicyPreviewProps {
  before: SignInPolicy;
  /** Null while there is nothing to ask: it is the policy in force, or could not be saved. */
  after: SignInPolicy | null;
}

/** The answer goes as soon as the form says something else. */
export function PolicyPreview({ before, after }: PolicyPreviewProps) {
  const { mutate, data, error, variables, isPending } = useMutation(policyPreview);
  const isCurrent = JSON.stringify(variables) === JSON.stringify(after);
  return (
    <div className={classes.place}>
      <Button
        variant="default"
        leftSection={<IconZoomQuestion size={16} aria-hidden />}
        loading={isPending}
        disabled={after === null}
        onClick={() => after !== null && mutate(after)}
      >
        What would change?
      </Button>
      <div aria-live="polite">
        {isCurrent && after !== null && data !== undefined && (
          <Answer preview={data} notes={notesOf(before, after, data)} />
        )}
        {isCurrent && error !== null && (
          <p className={classes.refused} role="alert">
            {messageOf(error)}
          </p>
        )}
      </div>
    </div>
  );
}

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
        <p className={classes.note}>Nobody who is here now would notice it.</p>
      )}
    </div>
  );
}

const Part = ({ part: { title, people, more } }: { part: PreviewPart }) => (
  <section>
    <p className={classes.title}>{title}</p>
    <ul className={classes.people} aria-label={title}>
      {people.map(({ id, name, email, says }) => (
        <li key={id} className={classes.person}>
          <span className={classes.who}>
            <span className={classes.name}>{name}</span>
            <span className={classes.email}>{email}</span>
          </span>
          <span className={classes.says}>{says}</span>
        </li>
      ))}
    </ul>
    {more > 0 && <p className={classes.note}>And {counted(more, "other person", "other people")}.</p>}
  </section>
);
