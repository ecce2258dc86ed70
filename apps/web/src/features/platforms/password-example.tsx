// Shows an example password for the rules in the form, and a new one after each change.
import { ActionIcon } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { exampleOf, type Example, type ExampleRules } from "./example-password.ts";
import classes from "./platforms.module.css";

const LONGEST = 256;

/** Returns a problem instead of an example while a number is incomplete. */
function exampleFor(rules: ExampleRules): Example {
  const { length, max_length, min_lowercase, min_uppercase, min_digits, min_symbols } = rules;
  const counts = [length, max_length, min_lowercase, min_uppercase, min_digits, min_symbols];
  if (!counts.every((count) => Number.isInteger(count) && count >= 0) || length < 1 || length > LONGEST) {
    return { problem: "Complete the numbers above to see an example." };
  }
  return exampleOf(rules);
}

export function PasswordExample({ rules }: { rules: ExampleRules }) {
  const [round, setRound] = useState(0);
  return (
    <div className={classes.example} role="group" aria-label="Example">
      <div className={classes.exampleHead}>
        <span>Example</span>
        <ActionIcon size="sm" aria-label="Another example" onClick={() => setRound(round + 1)}>
          <IconRefresh size={15} aria-hidden />
        </ActionIcon>
      </div>
      <Drawn key={`${JSON.stringify(rules)} ${round}`} rules={rules} />
    </div>
  );
}

/** Generates one example; the parent changes the key to remount this component for different rules or a new example. */
function Drawn({ rules }: { rules: ExampleRules }) {
  const [example] = useState(() => exampleFor(rules));
  if ("problem" in example) {
    return (
      <p className={classes.exampleNote} role="status">
        {example.problem}
      </p>
    );
  }
  return (
    <>
      <code className={classes.examplePassword}>{example.password}</code>
      <p className={classes.exampleNote}>
        About {example.bits.toLocaleString()} bits. Generated in your browser and never used.
      </p>
    </>
  );
}
