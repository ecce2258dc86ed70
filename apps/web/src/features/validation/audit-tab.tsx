// "Audit Trail": what the trail says of verifications, for who may read the whole trail; the Audit Logs page has all of it.
import { Button, Select } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { AUDIT_RESULTS, type AuditResult } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { paths } from "#app/paths.ts";
import { choiceOf, withParam } from "#shared/format/address.ts";
import { capitalised } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { AuditTrailList } from "#shared/ui/audit-trail-list.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { AUDIT_EVENTS, type AuditEvent } from "./audit-events.ts";
import classes from "./audit-tab.module.css";
import { auditEntries } from "./validation.queries.ts";

const EVENTS = Object.keys(AUDIT_EVENTS) as [AuditEvent, ...AuditEvent[]];
const EVENT_CHOICES = EVENTS.map((value) => ({ value, label: AUDIT_EVENTS[value] }));
const RESULT_CHOICES = [
  { value: "", label: "All results" },
  ...AUDIT_RESULTS.map((result) => ({ value: result as string, label: capitalised(result) })),
];

export function AuditTab() {
  const { role } = useUser();
  if (role === "user") {
    return (
      <EmptyState
        icon={IconLock}
        title="Only managers and administrators can read the whole audit trail."
        text="What was done with an account or a credential of yours is on its own page."
      />
    );
  }
  return <Trail />;
}

function Trail() {
  const [params, setParams] = useSearchParams();
  const event = choiceOf(params, "event", EVENTS);
  const result = AUDIT_RESULTS.find((each) => each === params.get("result"));
  const choose = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  return (
    <>
      <div className={classes.filters}>
        <Select
          aria-label="Event"
          data={EVENT_CHOICES}
          value={event}
          onChange={choose("event")}
          allowDeselect={false}
        />
        <Select
          aria-label="Result"
          data={RESULT_CHOICES}
          value={result ?? ""}
          onChange={choose("result")}
          allowDeselect={false}
        />
        <Button component={Link} to={paths.auditLogs} variant="default" className={classes.all}>
          Open Audit Logs
        </Button>
      </div>
      <Entries event={event} result={result} />
    </>
  );
}

function Entries({ event, result }: { event: AuditEvent; result: AuditResult | undefined }) {
  const list = useInfiniteQuery(auditEntries({ event: event === "all" ? undefined : event, result }));
  return (
    <Loaded query={list}>
      {({ pages }) => (
        <AuditTrailList
          title="Enhanced Audit Trail"
          entries={pages.flatMap((page) => page.logs)}
          footer={<LoadMore of={list} />}
        />
      )}
    </Loaded>
  );
}
