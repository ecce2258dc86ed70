// Tests that a crash, a full disk or a stopped object store at a random moment loses at most 1 s and 256 kB of what users saw, and that the recording
// reports the loss.
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FAULTS } from "./testing/recording-loss/faults.ts";
import { judge, runRound } from "./testing/recording-loss/rounds.ts";
import type { Observed } from "./testing/recording-loss/rounds.ts";
import { openLossBed } from "./testing/recording-loss/test-bed.ts";
import type { LossBed } from "./testing/recording-loss/test-bed.ts";

for (const storesIn of ["folder", "bucket"] as const) {
  describe(`recordings in a ${storesIn} of sessions that a fault interrupts`, needs(unixUsersAvailable()), () => {
    let bed: LossBed;
    const observed: Observed[] = [];
    before(async () => {
      bed = await openLossBed(storesIn);
    });
    after(() => bed?.stop());

    for (const fault of FAULTS.filter((each) => each.isBrief && each.needsBucket === (storesIn === "bucket"))) {
      test(`survive a fault: ${fault.name}`, async (t) => {
        if (fault.needsDisk && !bed.hasDisk) {
          return t.skip("this machine cannot create a separate disk for recordings");
        }
        observed.push(...(await runRound(bed, fault)));
      });
    }

    test("contain all but the last second of what users saw, and report what is missing", async (t) => {
      for (const session of observed) {
        const { problem, missingBytes, missingMs } = await judge(bed, session);
        t.diagnostic(`${session.fault.name}, ${session.load}: ${missingBytes} bytes, ${Math.round(missingMs)} ms`);
        assert.equal(problem, null, `${session.fault.name}, ${session.load}\n${bed.output().slice(-4000)}`);
      }
      assert.deepEqual(await bed.trailProblems(), []);
    });
  });
}
