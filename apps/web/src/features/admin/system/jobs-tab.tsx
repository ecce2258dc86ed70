// Background jobs: queue lengths, recent results, and retrying failed jobs.
import { Button, Select, Table } from "@mantine/core";
import { IconChecklist } from "@tabler/icons-react";
import { JOB_STATES, type JobQueue, type JobRun } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { withParam } from "#shared/format/address.ts";
import { capitalised } from "#shared/format/text.ts";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge, type Status } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import { jobList, jobRetry, queues } from "./system.queries.ts";

const STATUS_OF: Record<JobRun["state"], Status> = {
  waiting: "pending",
  scheduled: "pending",
  active: "active",
  completed: "verified",
  failed: "failed",
  cancelled: "inactive",
};

export default function JobsTab() {
  const list = useQuery(queues);
  return (
    <div className={classes.cards}>
      <SectionCard title="Queues" description="Scheduled jobs and jobs queued by API calls">
        <Loaded query={list}>{({ data }) => <Queues queues={data} />}</Loaded>
      </SectionCard>
      <SectionCard title="Jobs" description="Finished jobs are kept for 7 days">
        <Jobs names={list.data?.data.map(({ name }) => name) ?? []} />
      </SectionCard>
    </div>
  );
}

function Queues({ queues: shown }: { queues: readonly JobQueue[] }) {
  return (
    <div className={classes.queues}>
      <Table verticalSpacing={6} horizontalSpacing={6} aria-label="Queues">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Queue</Table.Th>
            <Table.Th className={classes.number}>Waiting</Table.Th>
            <Table.Th className={classes.number}>Active</Table.Th>
            <Table.Th className={classes.number}>Failed</Table.Th>
            <Table.Th className={classes.moment}>Oldest Waiting</Table.Th>
            <Table.Th className={classes.moment}>Last Completed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((queue) => (
            <Table.Tr key={queue.name}>
              <Table.Td>
                <span className={classes.mono}>{queue.name}</span>
                <p className={classes.counts}>
                  {`${queue.waiting + queue.scheduled} waiting · ${queue.active} active · ${queue.failed} failed`}
                </p>
              </Table.Td>
              <Table.Td className={classes.number}>{(queue.waiting + queue.scheduled).toLocaleString()}</Table.Td>
              <Table.Td className={classes.number}>{queue.active.toLocaleString()}</Table.Td>
              <Table.Td className={classes.number}>
                {queue.failed === 0 ? "0" : <StatusBadge status="failed" label={queue.failed.toLocaleString()} />}
              </Table.Td>
              <Table.Td className={classes.moment}>
                {queue.oldest_waiting_at === null ? "–" : <RelativeTime moment={queue.oldest_waiting_at} />}
              </Table.Td>
              <Table.Td className={classes.moment}>
                <RelativeTime moment={queue.last_completed_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Jobs({ names }: { names: readonly string[] }) {
  const [params, setParams] = useSearchParams();
  const queue = names.find((name) => name === params.get("queue"));
  const state = JOB_STATES.find((each) => each === params.get("state"));
  const jobs = useInfiniteQuery({
    ...jobList({ ...(queue && { queue }), ...(state && { state }) }),
    placeholderData: keepPreviousData,
  });
  const set = (part: string) => (next: string | null) =>
    setParams((before) => withParam(before, part, next ?? ""), { replace: true });
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Jobs">
        <Select
          aria-label="Queue"
          data={[{ value: "", label: "All queues" }, ...names.map((value) => ({ value, label: value }))]}
          value={queue ?? ""}
          allowDeselect={false}
          onChange={set("queue")}
        />
        <Select
          className={classes.choice}
          aria-label="State"
          data={[
            { value: "", label: "All states" },
            ...JOB_STATES.map((value) => ({ value, label: capitalised(value) })),
          ]}
          value={state ?? ""}
          allowDeselect={false}
          onChange={set("state")}
        />
      </div>
      <Loaded query={jobs}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.data);
          if (found.length === 0)
            return <EmptyState icon={IconChecklist} title="No jobs" text="No jobs match the filters." />;
          return (
            <>
              <RowList label="Jobs">
                {found.map((job) => (
                  <JobRow key={job.id} job={job} />
                ))}
              </RowList>
              <LoadMore of={jobs} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function JobRow({ job }: { job: JobRun }) {
  const { mutate, isPending } = useMutation(jobRetry(useQueryClient()));
  const retry = () =>
    mutate(job.id, {
      onSuccess: () => toast.success("Job queued for retry"),
      onError: (error) => toast.error(messageOf(error)),
    });
  return (
    <Row
      name={
        <>
          <span className={classes.mono}>{job.queue}</span>
          <StatusBadge status={STATUS_OF[job.state]} label={capitalised(job.state)} />
        </>
      }
      actions={
        job.may_retry && (
          <Button size="compact-sm" variant="default" loading={isPending} onClick={retry}>
            Retry
          </Button>
        )
      }
    >
      <RowDetail>
        <RelativeTime moment={job.ended_at ?? job.started_at ?? job.created_at} />
        {job.attempts > 1 && ` · ${job.attempts} attempts`}
        {job.progress !== null &&
          ` · ${job.progress.done.toLocaleString()} of ${job.progress.total?.toLocaleString() ?? "?"}`}
      </RowDetail>
      {job.error !== null && <p className={classes.error}>{job.error}</p>}
    </Row>
  );
}
