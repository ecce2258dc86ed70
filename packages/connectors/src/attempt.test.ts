// Tests of an attempt's time limit and of how it ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aContext } from "../testing/factories.ts";
import { attempt } from "./attempt.ts";
import { rejected, verified } from "./finding.ts";

test("the result is the finding with its duration, and nothing is redacted", async () => {
  const result = await attempt(aContext(), async () => rejected("wrong-password", "The password is not password."));
  assert.deepEqual(result, {
    outcome: "rejected",
    code: "wrong-password",
    message: "The password is not password.",
    durationMs: result.durationMs,
  });
});

test("an attempt that takes too long is aborted at its limit, and the message names what it was waiting for", async () => {
  let stopped = false;
  const result = await attempt(aContext({ timeoutMs: 50 }), ({ signal, waitFor }) => {
    waitFor("the moon");
    signal.addEventListener("abort", () => (stopped = true));
    return new Promise(() => {});
  });
  assert.deepEqual(
    { ...result, durationMs: 0 },
    {
      outcome: "unreachable",
      code: "timeout",
      message: "Timed out after 0.1 s while waiting for the moon.",
      durationMs: 0,
    },
  );
  assert.ok(result.durationMs >= 45 && result.durationMs < 5_000);
  assert.ok(stopped);
});

test("a cancelled attempt does not start", async () => {
  const result = await attempt(aContext({ signal: AbortSignal.abort() }), () => assert.fail("it started"));
  assert.equal("code" in result && result.code, "cancelled");
});

test("aborts everything an attempt left open", async () => {
  let over: AbortSignal | null = null;
  await attempt(aContext(), async ({ signal }) => {
    over = signal;
    assert.equal(signal.aborted, false);
    return verified("Fine.");
  });
  assert.equal((over as AbortSignal | null)?.aborted, true);
});

test("a connector's exception counts as a bug and does not become an outcome", async () => {
  await assert.rejects(
    attempt(aContext(), () => Promise.reject(new TypeError("a bug"))),
    TypeError,
  );
});
