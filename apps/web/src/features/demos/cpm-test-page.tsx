// The page "CPM Integration Testing": sends the credential manager's calls one by one (DEMO-10 to DEMO-15).
import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { CredentialId, listCredentials } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { queryOf } from "#shared/api/query.ts";
import { wait } from "#shared/api/retry.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { responseTime } from "#shared/format/time.ts";
import classes from "./cpm-test-page.module.css";
import { integrationTests, runTests, type IntegrationTest, type TestResult } from "./integration-tests.ts";

/** A well-formed id that belongs to no credential, used until the id of one of the user's own credentials is known. */
export const NOBODYS_ID = "00000000-0000-4000-8000-000000000000";

const BADGES = {
  running: { status: "pending", label: "Running" },
  passed: { status: "verified", label: "Passed" },
  failed: { status: "failed", label: "Failed" },
} as const;

interface TestRowProps {
  test: IntegrationTest;
  result: TestResult | undefined;
  isBusy: boolean;
  onRun: () => void;
}

function TestRow({ test, result, isBusy, onRun }: TestRowProps) {
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <p className={classes.name}>{test.name}</p>
        <code className={classes.target}>{test.target}</code>
        {result !== undefined && result.state !== "running" && (
          <p className={classes.message}>
            {result.message} ({responseTime(result.ms)})
          </p>
        )}
      </div>
      <div className={classes.side}>
        {result === undefined ? (
          <StatusBadge status="inactive" label="Not run" />
        ) : (
          <StatusBadge {...BADGES[result.state]} />
        )}
        <Button variant="default" size="compact-sm" disabled={isBusy} onClick={onRun} aria-label={`Run ${test.name}`}>
          Run
        </Button>
      </div>
    </li>
  );
}

export default function CpmTestPage() {
  const { data } = useQuery(queryOf(listCredentials, { query: { limit: 1 } }));
  const [typed, setTyped] = useState<string | null>(null);
  const [results, setResults] = useState<Record<string, TestResult>>({});
  const [isBusy, setIsBusy] = useState(false);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  const text = typed ?? data?.data[0]?.id ?? NOBODYS_ID;
  const credential = CredentialId.safeParse(text.trim());

  const run = async (tests: readonly IntegrationTest[]) => {
    if (!credential.success) return;
    const aborter = new AbortController();
    leaving.current = aborter;
    setIsBusy(true);
    setResults((before) =>
      Object.fromEntries(Object.entries(before).filter(([id]) => !tests.some((test) => test.id === id))),
    );
    await runTests(
      tests,
      credential.data,
      (id, result) => setResults((before) => ({ ...before, [id]: result })),
      wait,
      aborter.signal,
    );
    if (!aborter.signal.aborted) setIsBusy(false);
  };

  return (
    <>
      <PageHeader
        title="CPM Integration Testing"
        subtitle="Calls the credential manager's API and shows the responses."
        actions={
          <Button onClick={() => void run(integrationTests)} loading={isBusy} disabled={!credential.success}>
            Run All Tests
          </Button>
        }
      />
      <Stack gap="md" maw="52rem">
        <TextInput
          label="Test credential ID"
          description="Used by Verify and History. Defaults to your newest credential. Verify logs in to its real system."
          value={text}
          error={credential.success ? undefined : "A credential ID is a UUID."}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <SectionCard title="Tests">
          <ul className={classes.list}>
            {integrationTests.map((test) => (
              <TestRow
                key={test.id}
                test={test}
                result={results[test.id]}
                isBusy={isBusy || !credential.success}
                onRun={() => void run([test])}
              />
            ))}
          </ul>
        </SectionCard>
        <Group gap="lg">
          <Text size="sm">See also</Text>
          <Anchor component={Link} to={paths.credentialVault} size="sm" underline="always">
            Credential Vault
          </Anchor>
          <Anchor component={Link} to={paths.cpmDashboard} size="sm" underline="always">
            CPM Dashboard
          </Anchor>
        </Group>
      </Stack>
    </>
  );
}
