// Sample comment and account cards of the component demo (DEMO-16), all marked as samples.
import { SimpleGrid } from "@mantine/core";
import { StatusBadge, type Status } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./sample-cards.module.css";

const SAMPLE_ONLY = "Sample only";

/** The role labels are part of the sample, not roles of the product. */
const COMMENTS = [
  {
    author: "Sample person A",
    role: "Sample role: reviewer",
    text: "Sample comment: a short remark on a change.",
  },
  {
    author: "Sample person B",
    role: "Sample role: operator",
    text: "Sample comment: an answer that takes more than one line, to show how the card grows with it.",
  },
];

const ACCOUNTS: readonly { name: string; host: string; status: Status }[] = [
  { name: "sample-account-1", host: "sample-host.invalid", status: "verified" },
  { name: "sample-account-2", host: "sample-host.invalid", status: "failed" },
  { name: "sample-account-3", host: "sample-host.invalid", status: "pending" },
];

export function SampleComments() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {COMMENTS.map(({ author, role, text }) => (
        <article key={author} className={classes.card}>
          <Tag tone="warning">{SAMPLE_ONLY}</Tag>
          <p className={classes.name}>{author}</p>
          <p className={classes.note}>{role}</p>
          <p>{text}</p>
        </article>
      ))}
    </SimpleGrid>
  );
}

export function SampleAccounts() {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {ACCOUNTS.map(({ name, host, status }) => (
        <article key={name} className={classes.card}>
          <Tag tone="warning">{SAMPLE_ONLY}</Tag>
          <p className={classes.name}>{name}</p>
          <p className={classes.note}>{host}</p>
          <StatusBadge status={status} />
        </article>
      ))}
    </SimpleGrid>
  );
}
