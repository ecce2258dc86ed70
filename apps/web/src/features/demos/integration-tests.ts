// The tests of the page "CPM Integration Testing": their calls, and running them in sequence (DEMO-11, DEMO-14).
import {
  listAttention,
  readCpmStatus,
  readCredentialHistory,
  readHealth,
  readLiveness,
  readReadiness,
  verifyCredential,
  type CredentialId,
} from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";

/** Milliseconds between two tests. */
export const PAUSE_MS = 500;

export interface IntegrationTest {
  id: string;
  name: string;
  /** Method and path, as in the contract. */
  target: string;
  /** Returns a sentence about the response. Rejects when the call fails. */
  run: (credential: CredentialId) => Promise<string>;
}

const targetOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

export const integrationTests: readonly IntegrationTest[] = [
  { id: "health", name: "Health", target: targetOf(readHealth), run: async () => (await call(readHealth)).summary },
  {
    id: "readiness",
    name: "Readiness",
    target: targetOf(readReadiness),
    run: async () => (await call(readReadiness)).status,
  },
  {
    id: "liveness",
    name: "Liveness",
    target: targetOf(readLiveness),
    run: async () => (await call(readLiveness)).status,
  },
  {
    id: "status",
    name: "CPM status",
    target: targetOf(readCpmStatus),
    run: async () => {
      const { status, verifiedCredentials, totalCredentials } = await call(readCpmStatus);
      return `${status}, ${verifiedCredentials} of ${totalCredentials} verified`;
    },
  },
  {
    id: "attention",
    name: "Credentials needing attention",
    target: targetOf(listAttention),
    run: async () => counted((await call(listAttention)).credentials.length, "credential"),
  },
  {
    id: "verify",
    name: "Verify credential",
    target: targetOf(verifyCredential),
    run: async (id) => (await call(verifyCredential, { params: { id } })).message,
  },
  {
    id: "history",
    name: "Credential history",
    target: targetOf(readCredentialHistory),
    run: async (id) => {
      const { history } = await call(readCredentialHistory, { params: { id }, query: { limit: 50 } });
      return counted(history.length, "entry", "entries");
    },
  },
];

export type TestResult =
  | { state: "running" }
  | { state: "passed"; message: string; ms: number }
  | { state: "failed"; message: string; ms: number };

/** Runs one test and returns its result; never rejects. */
async function runTest(test: IntegrationTest, credential: CredentialId): Promise<TestResult> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  try {
    return { state: "passed", message: await test.run(credential), ms: elapsed() };
  } catch (error) {
    return { state: "failed", message: messageOf(error), ms: elapsed() };
  }
}

/** Runs the tests in sequence with a pause between them; stops early when `signal` is aborted. */
export async function runTests(
  tests: readonly IntegrationTest[],
  credential: CredentialId,
  onResult: (id: string, result: TestResult) => void,
  pause: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, test] of tests.entries()) {
    if (index > 0) await pause(PAUSE_MS);
    if (signal.aborted) return;
    onResult(test.id, { state: "running" });
    const result = await runTest(test, credential);
    if (signal.aborted) return;
    onResult(test.id, result);
  }
}
