// The component demo (DEMO-16): the shared UI components with data marked as samples.
import { Group, Stack } from "@mantine/core";
import { AUDIT_RESULTS } from "@strongroom/contract";
import { IconKey } from "@tabler/icons-react";
import { AuditTrailList, type AuditTrailEntry } from "#shared/audit/audit-trail-list.tsx";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState, SampleDataNotice } from "#shared/ui/states.tsx";
import { STATUSES, SeverityBadge, StatusBadge } from "#shared/ui/status-badge.tsx";
import { DemoLayout } from "./demo-layout.tsx";
import { DialogSamples } from "./dialog-samples.tsx";
import { SampleAccounts, SampleComments } from "./sample-cards.tsx";

const SEVERITIES = ["critical", "high", "medium", "low"] as const;

const ENTRIES: readonly AuditTrailEntry[] = AUDIT_RESULTS.map((result, index) => ({
  id: result,
  action: `Sample action ${index + 1}`,
  result,
  summary: "Sample only: a sentence that describes the action.",
  metadata: index === 0 ? { reason: "Sample reason", duration_ms: 12 } : undefined,
  user: { name: "Sample person" },
  timestamp: "2026-01-01T00:00:00.000Z",
}));

export default function ComponentDemoPage() {
  return (
    <DemoLayout title="Components" subtitle="The building blocks of every screen. Everything here is sample data.">
      <Stack gap="md">
        <SectionCard title="Comment cards">
          <SampleComments />
        </SectionCard>
        <SectionCard title="Account cards">
          <SampleAccounts />
        </SectionCard>
        <SectionCard title="Badges">
          <Stack gap="xs">
            <Group gap="xs">
              {STATUSES.map((status) => (
                <StatusBadge key={status} status={status} />
              ))}
            </Group>
            <Group gap="xs">
              {SEVERITIES.map((severity) => (
                <SeverityBadge key={severity} severity={severity} />
              ))}
            </Group>
          </Stack>
        </SectionCard>
        <DialogSamples />
        <SectionCard title="States">
          <SampleDataNotice />
          <EmptyState title="Sample only: nothing here" icon={IconKey} text="The text of an empty list." />
          <ErrorState message="Sample only: what went wrong" onRetry={() => undefined} />
        </SectionCard>
        <SectionCard title="Code">
          <CodeBlock label="sample" code="sample-only: text to copy character for character" />
        </SectionCard>
        <SectionCard title="Audit list">
          <AuditTrailList entries={ENTRIES} />
        </SectionCard>
      </Stack>
    </DemoLayout>
  );
}
